import { Copy } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { IconButton } from '~/components/button/Button'
import { CopyField } from '~/components/copy/CopyField'
import { TextField } from '~/components/field/TextField'
import { toast } from '~/components/toast/Toast'
import type { ReadAsset } from '~/features/assets/asset'
import { inFolder } from '~/features/folders/queries'
import { useFormat, useTexts } from '~/text/context'
import { FileFacts } from './FileFacts'
import css from './Panel.module.css'
import { Parts } from './Parts'
import { Fact, Part } from './Row'
import { Sources } from './Sources'
import { texts } from './texts'
import { Use } from './Use'
import { Versions } from './Versions'

/** The file's properties and embedded metadata. */
export function File({ asset }: { asset: ReadAsset }) {
  const t = useTexts(texts)
  const format = useFormat()
  return (
    <>
      <dl className={css.facts}>
        <Fact name={t.fileName}>{asset.original_filename}</Fact>
        {asset.folder && (
          <Fact name={t.folder}>
            <Link to={inFolder(asset.folder)}>{asset.folder}</Link>
          </Fact>
        )}
        <Fact name={t.kind}>{asset.mime_type}</Fact>
        <Fact name={t.size}>{format.size(asset.file_size)}</Fact>
        {asset.width !== null && asset.height !== null && (
          <Fact name={t.pixels}>
            {format.number(asset.width)} × {format.number(asset.height)}
            {asset.file_category === 'Image' &&
              ` · ${t.megapixels(format.number(Math.round((asset.width * asset.height) / 1e5) / 10))}`}
          </Fact>
        )}
        {asset.duration !== null && <Fact name={t.duration}>{format.duration(asset.duration)}</Fact>}
        {asset.page_count !== null && <Fact name={t.pages}>{format.number(asset.page_count)}</Fact>}
        <FileFacts asset={asset} />
        <Fact name={t.added}>{format.time(asset.created_at)}</Fact>
        {asset.created_by && <Fact name={t.addedBy}>{asset.created_by.name}</Fact>}
        <Fact name={t.changed}>{format.time(asset.updated_at)}</Fact>
        {asset.updated_by && <Fact name={t.changedBy}>{asset.updated_by.name}</Fact>}
        <Use gaid={asset.gaid} />
      </dl>
      <div className={css.labelled}>
        <span>{t.gaid}</span>
        <CopyField label={t.gaid} value={asset.gaid} />
      </div>
      <div className={css.labelled}>
        <span>{t.checksum}</span>
        <CopyField label={t.checksum} value={asset.checksum_sha256} />
      </div>
      <Parts asset={asset} />
      <Versions asset={asset} />
      <Sources asset={asset} />
      <Technical value={asset.technical} />
    </>
  )
}

interface Group {
  name: string
  facts: [string, string][]
}

/** Groups displayed in a separate section. */
const shownApart = ['conflicts', 'content_credentials', 'ocr', 'sidecars']

function groupsOf(value: Record<string, unknown>, text: string): Group[] {
  const wanted = text.trim().toLowerCase()
  return Object.entries(value)
    .filter(([name, v]) => v !== null && typeof v === 'object' && !shownApart.includes(name))
    .map(([name, facts]) => ({
      name,
      facts: Object.entries(facts as Record<string, unknown>)
        .filter(([k]) => name !== 'archive' || k !== 'entries') // displayed by the viewer
        .map(([k, v]): [string, string] => [
          k.replaceAll('_', ' '),
          typeof v === 'object' ? JSON.stringify(v) : String(v),
        ])
        .filter(([k, v]) => `${name} ${k} ${v}`.toLowerCase().includes(wanted)),
    }))
    .filter(g => g.facts.length > 0)
}

/** The raw metadata of the file, by namespace. */
function Technical({ value }: { value: Record<string, unknown> }) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  const groups = groupsOf(value, text)
  if (groupsOf(value, '').length === 0) return null
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(JSON.stringify(value, null, 2))
      toast({ text: t.copied })
    } catch {
      toast({ text: t.cannotCopy })
    }
  }
  return (
    <Part title={t.technical}>
      <div className={css.filter}>
        <TextField
          label={t.filterFacts}
          hideLabel
          placeholder={t.filterFacts}
          value={text}
          onChange={setText}
        />
        <IconButton label={t.copyAll} onPress={() => void copy()}>
          <Copy />
        </IconButton>
      </div>
      {groups.length === 0 && <p className={css.soft}>{t.noFacts}</p>}
      {groups.map(g => (
        <section key={g.name} className={css.group}>
          <h3>{g.name.toUpperCase()}</h3>
          <dl className={css.facts}>
            {g.facts.map(([k, v]) => (
              <Fact key={k} name={k}>
                {v}
              </Fact>
            ))}
          </dl>
        </section>
      ))}
    </Part>
  )
}
