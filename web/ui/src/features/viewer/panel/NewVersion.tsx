import { useQueryClient } from '@tanstack/react-query'
import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '~/components/button/Button'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useFormat, useTexts } from '~/text/context'
import css from './Versions.module.css'
import { forgetNewVersion, uploadVersion, useNewVersion } from './versionQueries'
import { texts } from './versionTexts'

/** Picks a file as the new version of an asset, and shows its progress or the reason for its refusal. */
export function NewVersion({ gaid }: { gaid: string }) {
  const t = useTexts(texts)
  const format = useFormat()
  const client = useQueryClient()
  const input = useRef<HTMLInputElement>(null)
  const now = useNewVersion(gaid)
  const isGoing = now !== null && now.state !== 'failed'
  const take = async (from: HTMLInputElement) => {
    const file = from.files?.[0]
    if (!file) return
    const done = uploadVersion(client, gaid, file)
    from.value = '' // the same can be picked again
    if (await done) toast({ text: t.replaced })
  }
  return (
    <div className={css.upload}>
      <Button isDisabled={isGoing} onPress={() => input.current?.click()}>
        <Upload /> {t.upload}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={t.upload}
        onChange={e => void take(e.currentTarget)}
      />
      {now && isGoing && (
        <Notice kind="info">
          {now.state === 'sending' ? t.sending(now.name, format.percent(now.share)) : t.reading(now.name)}
        </Notice>
      )}
      {now?.state === 'sending' && <Button onPress={now.cancel}>{t.cancel}</Button>}
      {now?.state === 'failed' && (
        <>
          <Notice kind="danger">
            {t.refused(now.name)} {now.message ? <span lang="en">{now.message}</span> : t.notReached}
          </Notice>
          <Button onPress={() => forgetNewVersion(client, gaid)}>{t.close}</Button>
        </>
      )}
    </div>
  )
}
