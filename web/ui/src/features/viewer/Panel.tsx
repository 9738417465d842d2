import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { type Asset, useChangeAsset } from '~/features/assets/asset'
import { queryText } from '~/features/assets/query'
import { useFormat, useTexts } from '~/text/context'
import { EditableText } from './EditableText'
import { Keywords } from './Keywords'
import css from './Panel.module.css'
import { texts } from './texts'

/** What is known of an asset, most of it to be changed in place. */
export function Panel({ asset }: { asset: Asset }) {
  const t = useTexts(texts)
  const format = useFormat()
  const change = useChangeAsset(asset.gaid)
  const save = (body: Parameters<typeof change.mutateAsync>[0]) => change.mutateAsync(body)
  return (
    <aside className={css.panel} aria-label={t.details}>
      <EditableText
        label={t.title}
        name="title"
        value={asset.title}
        onSave={title => save({ title })}
        isRequired
      />
      <Keywords value={asset.keywords} onSave={keywords => save({ keywords })} />
      <EditableText
        label={t.creator}
        name="creator"
        value={asset.creator ?? ''}
        onSave={v => save({ creator: v || null })}
      />
      <EditableText
        label={t.copyright}
        name="copyright"
        value={asset.copyright ?? ''}
        onSave={v => save({ copyright: v || null })}
      />
      <dl className={css.facts}>
        <Fact name={t.status}>{t[asset.workflow_status]}</Fact>
        <Fact name={t.fileName}>{asset.original_filename}</Fact>
        <Fact name={t.size}>{format.size(asset.file_size)}</Fact>
        {asset.width !== null && asset.height !== null && (
          <Fact name={t.pixels}>
            {format.number(asset.width)} × {format.number(asset.height)}
          </Fact>
        )}
        {asset.capture_date && <Fact name={t.taken}>{format.time(asset.capture_date)}</Fact>}
        <Fact name={t.added}>{format.time(asset.created_at)}</Fact>
        {asset.created_by && <Fact name={t.addedBy}>{asset.created_by.name}</Fact>}
        {asset.collections.length > 0 && (
          <Fact name={t.collections}>
            {asset.collections.map(c => (
              <Link key={c.id} to={`/collections/${c.id}`} className={css.link}>
                {c.name}
              </Link>
            ))}
          </Fact>
        )}
        {asset.colors.length > 0 && (
          <Fact name={t.colours}>
            <span className={css.colours}>
              {asset.colors.map(c => (
                <Link
                  key={c.hex}
                  to={{
                    pathname: '/',
                    search: queryText({ filters: nearColour(c.hex), sort_by: 'relevance' }),
                  }}
                  className={css.colour}
                  style={{ background: c.hex }}
                  aria-label={c.hex}
                  title={c.hex}
                />
              ))}
            </span>
          </Fact>
        )}
      </dl>
      <Technical value={asset.technical} />
    </aside>
  )
}

function nearColour(hex: string) {
  return JSON.stringify({ type: 'filter', field: 'asset.colors', operator: 'color_near', value: hex })
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** What the file says of itself, as it says it. */
function Technical({ value }: { value: Record<string, unknown> }) {
  const t = useTexts(texts)
  const groups = Object.entries(value).filter(
    ([, v]) => v && typeof v === 'object' && Object.keys(v).length > 0,
  )
  if (groups.length === 0) return null
  return (
    <details className={css.technical}>
      <summary>{t.technical}</summary>
      {groups.map(([group, facts]) => (
        <section key={group}>
          <h3>{group.toUpperCase()}</h3>
          <dl className={css.facts}>
            {Object.entries(facts as Record<string, unknown>).map(([k, v]) => (
              <Fact key={k} name={k.replaceAll('_', ' ')}>
                {typeof v === 'object' ? JSON.stringify(v) : String(v)}
              </Fact>
            ))}
          </dl>
        </section>
      ))}
    </details>
  )
}
