import css from '~/components/page.module.css'
import { usePageTitle } from '~/components/title'
import { PresetList } from '~/features/pictures/PresetList'
import { useTexts } from '~/text/context'
import { texts } from './texts'

export default function PresetsPage() {
  usePageTitle(useTexts(texts).presets)
  return (
    <div className={css.page}>
      <PresetList />
    </div>
  )
}
