import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import type { ReadAsset } from '~/features/assets/asset'
import { useCan } from '~/features/session/rights'
import { useTexts } from '~/text/context'
import { Details } from './Details'
import { File } from './File'
import { History } from './History'
import css from './Panel.module.css'
import { useSave } from './save'
import { texts } from './texts'

/** The details of an asset, mostly editable in place with the necessary permissions. */
export default function Panel({ asset, onSimilar }: { asset: ReadAsset; onSimilar: () => void }) {
  const t = useTexts(texts)
  const can = useCan()
  const save = useSave(asset.gaid)
  const editable = !asset.deleted_at
  return (
    <aside className={css.panel} aria-label={t.details}>
      <Tabs className={css.tabs}>
        <TabList aria-label={t.details} className={css.tabList}>
          <Tab id="details" className={css.tab}>
            {t.details}
          </Tab>
          <Tab id="file" className={css.tab}>
            {t.file}
          </Tab>
          <Tab id="history" className={css.tab}>
            {t.history}
          </Tab>
        </TabList>
        <TabPanel id="details" className={css.tabPanel}>
          <Details
            asset={asset}
            save={editable && can('assets:write') ? save : undefined}
            saveMetadata={editable && can('assets:write') && can('metadata:write') ? save : undefined}
            onSimilar={onSimilar}
          />
        </TabPanel>
        <TabPanel id="file" className={css.tabPanel}>
          <File asset={asset} />
        </TabPanel>
        <TabPanel id="history" className={css.tabPanel}>
          <History gaid={asset.gaid} />
        </TabPanel>
      </Tabs>
    </aside>
  )
}
