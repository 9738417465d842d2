import type { Schemas } from '~/api/client'
import { local } from '~/features/assets/Thumbnail'
import css from './Logo.module.css'

/** The logo of the library, on a white ground where the page is dark: it was drawn for paper. */
export function SiteLogo({ logo, name }: { logo: Schemas['Logo']; name: string }) {
  return <img className={css.site} src={local(logo.url)} alt={name} width={logo.width} height={logo.height} />
}
