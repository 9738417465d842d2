import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Select } from '~/components/field/Select'
import { local } from '~/features/assets/Thumbnail'
import { useFormat, useTexts } from '~/text/context'
import { VersionFacts } from './VersionFacts'
import css from './Versions.module.css'
import type { Version } from './versionQueries'
import { texts } from './versionTexts'

interface CompareProps {
  versions: readonly Version[]
  /** The number of the version to compare with the current one, or the current one itself. */
  start: number
  onClose: () => void
}

/** Two versions side by side. */
export function CompareDialog({ versions, start, onClose }: CompareProps) {
  const t = useTexts(texts)
  const other = versions.find(v => v.version !== start)?.version ?? start
  const [pair, setPair] = useState<[number, number]>([Math.min(start, other), Math.max(start, other)])
  return (
    <Dialog title={t.compareTitle} isOpen wide onClose={onClose}>
      <div className={css.compared}>
        <Side label={t.compared} versions={versions} shown={pair[0]} onChange={n => setPair([n, pair[1]])} />
        <Side
          label={t.comparedWith}
          versions={versions}
          shown={pair[1]}
          onChange={n => setPair([pair[0], n])}
        />
      </div>
      <DialogButtons>
        <Button onPress={onClose}>{t.close}</Button>
      </DialogButtons>
    </Dialog>
  )
}

interface SideProps {
  label: string
  versions: readonly Version[]
  shown: number
  onChange: (version: number) => void
}

function Side({ label, versions, shown, onChange }: SideProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const v = versions.find(x => x.version === shown)
  return (
    <figure className={css.side}>
      <Select
        label={label}
        choices={versions.map(x => ({ id: String(x.version), text: t.version(format.number(x.version)) }))}
        value={String(shown)}
        onChange={id => onChange(Number(id))}
      />
      {v && (
        <>
          <Preview key={v.version} version={v} />
          <figcaption className={css.what}>
            <span>{v.filename}</span>
            <VersionFacts version={v} />
          </figcaption>
        </>
      )}
    </figure>
  )
}

function Preview({ version: v }: { version: Version }) {
  const t = useTexts(texts)
  const format = useFormat()
  const [failed, setFailed] = useState(false)
  const { preview } = v.urls
  return (
    <div className={css.picture}>
      {preview && !failed ? (
        <img src={local(preview)} alt={t.version(format.number(v.version))} onError={() => setFailed(true)} />
      ) : (
        <p role="status">{failed ? t.failed : t.noPicture}</p>
      )}
    </div>
  )
}
