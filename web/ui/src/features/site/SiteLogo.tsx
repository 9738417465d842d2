import type { Schemas } from '~/api/client'
import { local } from '~/features/assets/Thumbnail'
import css from './Logo.module.css'

/** The library's logo, with a white background on dark pages: logos are designed for paper. */
export function SiteLogo({ logo, name }: { logo: Schemas['Logo']; name: string }) {
  return <img className={css.site} src={local(logo.url)} alt={name} width={logo.width} height={logo.height} />
}
