import { useRef, useState } from 'react'
import { ToggleButton } from 'react-aria-components'
import { Button } from '~/components/button/Button'
import { Notice } from '~/components/state/Notice'
import { useFormat, useTexts } from '~/text/context'
import { useUploads } from './context'
import { picked } from './files'
import { SettingsDialog } from './Settings'
import css from './Tray.module.css'
import { texts } from './texts'

interface TrayNotesProps {
  problems: boolean
  onProblems: (only: boolean) => void
}

/** Notes about problems that block the uploads. */
export function TrayNotes({ problems, onProblems }: TrayNotesProps) {
  const t = useTexts(texts)
  const uploads = useUploads()
  const [setting, setSetting] = useState(false)
  const c = uploads.counts
  const wrong = c.failed + c.missing
  return (
    <div className={css.notes}>
      {uploads.offline && c.here > c.missing && <Notice kind="warning">{t.offline}</Notice>}
      {c.missing > 0 && <Missing />}
      {uploads.refused && (
        <Notice kind="danger">
          {t.refused} {uploads.refused.message} <Button onPress={() => setSetting(true)}>{t.settings}</Button>
        </Notice>
      )}
      {((wrong > 0 && wrong < c.total) || c.retryable > 1) && (
        <div className={css.tools}>
          {wrong < c.total && (
            <ToggleButton className={css.toggle ?? ''} isSelected={problems} onChange={onProblems}>
              {t.onlyProblems}
            </ToggleButton>
          )}
          {c.retryable > 1 && <Button onPress={() => void uploads.retryAll()}>{t.retryAll}</Button>}
        </div>
      )}
      {setting && <SettingsDialog onClose={() => setSetting(false)} />}
    </div>
  )
}

/** Uploads from before a reload whose files must be chosen again. */
function Missing() {
  const t = useTexts(texts)
  const format = useFormat()
  const uploads = useUploads()
  const input = useRef<HTMLInputElement>(null)
  const n = uploads.counts.missing
  const files = format.plural(n, t.oneFile, t.manyFiles)
  const findable = uploads.findable
  const [one, many] = findable ? [t.findableOne, t.findable] : [t.missingOne, t.missing]
  return (
    <Notice kind="warning">
      <p>{n === 1 ? one : many(files)}</p>
      <div className={css.tools}>
        {findable ? (
          <Button onPress={() => void uploads.findAgain(true)}>{t.goOnFinding}</Button>
        ) : (
          <Button onPress={() => input.current?.click()}>{t.choose}</Button>
        )}
      </div>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t.choose}
        onChange={e => {
          void uploads.add(picked(e.target.files))
          e.target.value = ''
        }}
      />
    </Notice>
  )
}
