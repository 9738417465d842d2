import type { Schemas } from '~/api/client'

type AssetItem = Schemas['AssetItem']
type Group = Schemas['DuplicateGroup']

export type { AssetItem, Group }

/** The amount of metadata that people have entered for an asset. */
function said(a: AssetItem): number {
  const texts = [a.creator, a.copyright, a.description, a.capture_date, a.rating, a.location, a.usage_terms]
  return texts.filter(v => v !== null).length + a.keywords.length + Object.keys(a.metadata).length
}

/** The asset to keep: most pixels, then most bytes, then most metadata, then the first one added. */
export function best(assets: readonly AssetItem[]): string {
  const order = [...assets].sort(
    (a, b) =>
      pixels(b) - pixels(a) ||
      b.file_size - a.file_size ||
      said(b) - said(a) ||
      a.created_at.localeCompare(b.created_at),
  )
  return order[0]?.gaid ?? ''
}

/** A group with the asset to keep first; the others keep their order. */
export function bestFirst(group: Group): Group {
  const kept = best(group.assets)
  const isKept = (a: AssetItem) => a.gaid === kept
  return { ...group, assets: [...group.assets.filter(isKept), ...group.assets.filter(a => !isKept(a))] }
}

function pixels(a: AssetItem): number {
  return (a.width ?? 0) * (a.height ?? 0)
}
