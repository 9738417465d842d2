import { useRef } from 'react'
import type { Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useSession } from '~/features/session/session'
import { useTexts } from '~/text/context'
import css from './Logo.module.css'
import { useLogo, useSetLogo } from './logo'
import { SiteLogo } from './SiteLogo'
import { texts } from './texts'

/** The library's logo on light and dark backgrounds, with buttons to change it. */
export function LogoView() {
  const t = useTexts(texts)
  const logo = useLogo()
  const set = useSetLogo()
  const input = useRef<HTMLInputElement>(null)
  const change = (file: File | null) =>
    set.mutate(file, { onSuccess: () => toast({ text: file ? t.saved : t.removed }) })
  const failed = logo.error ?? set.error
  return (
    <div className={css.logo}>
      <p>{t.help}</p>
      {failed && <Notice kind="danger">{failed.message}</Notice>}
      {logo.isPending && <Busy label={t.loading} />}
      {logo.data === null && <p>{t.none}</p>}
      {logo.data && <Previews logo={logo.data} />}
      <input
        ref={input}
        type="file"
        hidden
        accept="image/png,image/jpeg,image/webp,image/svg+xml"
        onChange={e => {
          const file = e.target.files?.[0]
          e.target.value = ''
          if (file) change(file)
        }}
      />
      <div className={css.buttons}>
        <Button look="primary" isPending={set.isPending} onPress={() => input.current?.click()}>
          {logo.data ? t.replace : t.choose}
        </Button>
        {logo.data && (
          <Button isDisabled={set.isPending} onPress={() => change(null)}>
            {t.remove}
          </Button>
        )}
      </div>
    </div>
  )
}

/** The logo as displayed on pages. */
function Previews({ logo }: { logo: Schemas['Logo'] }) {
  const t = useTexts(texts)
  const { site_name: name } = useSession()
  return (
    <div className={css.previews}>
      {(['light', 'dark'] as const).map(scheme => (
        <figure key={scheme} className={css.preview} data-theme={scheme}>
          <SiteLogo logo={logo} name={name} />
          <figcaption>{t.schemes[scheme]}</figcaption>
        </figure>
      ))}
    </div>
  )
}
