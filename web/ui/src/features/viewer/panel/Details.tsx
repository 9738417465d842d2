import { Copy } from 'lucide-react'
import { IconButton } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import type { ReadAsset } from '~/features/assets/asset'
import { offsetIn } from '~/features/assets/capture'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import { technicalOf } from '../technical'
import { CollectionChips } from './CollectionChips'
import { Colours } from './Colours'
import { CustomFields } from './CustomFields'
import { EditableDate, EditableText } from './EditableText'
import { FocalPoint } from './FocalPoint'
import { Keywords } from './Keywords'
import { Location } from './Location'
import { MachineTags } from './MachineTags'
import css from './Panel.module.css'
import { ClassSelect, OwnerSelect, StatusSelect } from './Pickers'
import { Rating } from './Rating'
import { Fact, Part } from './Row'
import { SimilarStrip } from './SimilarStrip'
import type { EditProps, Save } from './save'
import { texts } from './texts'

interface DetailsProps extends EditProps {
  saveMetadata: Save | undefined
  onSimilar: () => void
}

/** The metadata of an asset entered by people. */
export function Details({ asset, save, saveMetadata, onSimilar }: DetailsProps) {
  const t = useTexts(texts)
  const can = useCan()
  return (
    <>
      <Words asset={asset} save={save} />
      <div className={css.pair}>
        <Rating value={asset.rating} onSave={save && (rating => void save({ rating }))} />
        <StatusSelect asset={asset} save={save} />
      </div>
      {(save || asset.keywords.length > 0) && (
        <Part title={t.keywords}>
          <Keywords
            value={asset.keywords}
            onSave={save && ((keywords, force) => save({ keywords }, force))}
          />
        </Part>
      )}
      {can('collections:read') && <CollectionChips asset={asset} />}
      <Part title={t.about}>
        <About asset={asset} save={save} />
      </Part>
      <CustomFields asset={asset} save={saveMetadata} />
      <Location asset={asset} save={save} />
      <Usage asset={asset} save={save} />
      {asset.urls.preview && (save || asset.focal_point) && (
        <Part title={t.focalPoint} open={asset.focal_point !== null}>
          <FocalPoint asset={asset} save={save} />
        </Part>
      )}
      <Colours colors={asset.colors} />
      <Machine asset={asset} save={save} />
      <TextOf asset={asset} />
      {!asset.deleted_at && <SimilarStrip gaid={asset.gaid} onAll={onSimilar} />}
    </>
  )
}

function Words({ asset, save }: EditProps) {
  const t = useTexts(texts)
  if (!save) return asset.description ? <p className={css.prose}>{asset.description}</p> : null
  return (
    <>
      <EditableText
        label={t.title}
        name="title"
        value={asset.title}
        onSave={(title, force) => save({ title }, force)}
        isRequired
      />
      <EditableText
        label={t.description}
        name="description"
        value={asset.description ?? ''}
        placeholder={t.addDescription}
        onSave={(v, force) => save({ description: v || null }, force)}
        long
      />
    </>
  )
}

function About({ asset, save }: EditProps) {
  const t = useTexts(texts)
  const format = useFormat()
  if (!save) {
    return (
      <dl className={css.facts}>
        {asset.capture_local_time && (
          <Fact name={t.taken}>
            {format.localTime(asset.capture_local_time)}
            {asset.capture_utc_offset && <span className={css.soft}> UTC{asset.capture_utc_offset}</span>}
          </Fact>
        )}
        {asset.people.length > 0 && <Fact name={t.people}>{asset.people.join(', ')}</Fact>}
        {asset.creator && <Fact name={t.creator}>{asset.creator}</Fact>}
        {asset.copyright && <Fact name={t.copyright}>{asset.copyright}</Fact>}
        {asset.owner && <Fact name={t.owner}>{asset.owner.name}</Fact>}
        <Fact name={t.added}>{format.time(asset.created_at)}</Fact>
      </dl>
    )
  }
  return (
    <>
      <EditableDate
        withTime="local"
        label={t.taken}
        name="capture_date"
        value={asset.capture_local_time}
        onSave={(v, force) => save({ capture_date: v && `${v}${asset.capture_utc_offset ?? 'Z'}` }, force)}
      />
      {asset.capture_local_time && (
        <EditableText
          label={t.offset}
          name="capture_utc_offset"
          value={asset.capture_utc_offset ?? ''}
          placeholder={t.noOffset}
          onSave={(v, force) => save({ capture_utc_offset: v ? offsetIn(v) : null }, force)}
        />
      )}
      <EditableText
        label={t.people}
        name="people"
        help={t.peopleHelp}
        value={asset.people.join('; ')}
        onSave={(v, force) => save({ people: v.split(';') }, force)}
      />
      <EditableText
        label={t.creator}
        name="creator"
        value={asset.creator ?? ''}
        onSave={(v, force) => save({ creator: v || null }, force)}
      />
      <EditableText
        label={t.copyright}
        name="copyright"
        value={asset.copyright ?? ''}
        onSave={(v, force) => save({ copyright: v || null }, force)}
      />
      <ClassSelect asset={asset} save={save} />
      <OwnerSelect asset={asset} save={save} />
      <dl className={css.facts}>
        <Fact name={t.added}>
          {format.time(asset.created_at)}
          {asset.created_by && ` · ${asset.created_by.name}`}
        </Fact>
      </dl>
    </>
  )
}

function Usage({ asset, save }: EditProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const known = asset.usage_from !== null || asset.usage_until !== null || asset.usage_terms !== null
  const over = asset.usage_until !== null && new Date(asset.usage_until) < new Date()
  if (!save && !known) return null
  return (
    <Part title={t.usage} open={known}>
      {over && <p className={css.warning}>{t.usageOver}</p>}
      {save ? (
        <>
          <EditableDate
            withTime
            label={t.usageFrom}
            name="usage_from"
            value={asset.usage_from}
            onSave={(usage_from, force) => save({ usage_from }, force)}
          />
          <EditableDate
            withTime
            label={t.usageUntil}
            name="usage_until"
            value={asset.usage_until}
            onSave={(usage_until, force) => save({ usage_until }, force)}
          />
          <EditableText
            label={t.usageTerms}
            name="usage_terms"
            value={asset.usage_terms ?? ''}
            onSave={(v, force) => save({ usage_terms: v || null }, force)}
            long
          />
        </>
      ) : (
        <dl className={css.facts}>
          {asset.usage_from && <Fact name={t.usageFrom}>{format.time(asset.usage_from)}</Fact>}
          {asset.usage_until && <Fact name={t.usageUntil}>{format.time(asset.usage_until)}</Fact>}
          {asset.usage_terms && <Fact name={t.usageTerms}>{asset.usage_terms}</Fact>}
        </dl>
      )}
    </Part>
  )
}

/** The metadata generated by models, labeled as such. */
function Machine({ asset, save }: EditProps) {
  const t = useTexts(texts)
  if (!asset.ai_caption && asset.ai_tags.length === 0) return null
  return (
    <Part title={t.machine}>
      <p className={css.soft}>{t.machineHelp}</p>
      {asset.ai_caption && <p>{asset.ai_caption}</p>}
      {asset.ai_tags.length > 0 && <MachineTags asset={asset} save={save} />}
    </Part>
  )
}

/** The text of a file or in its picture, for copying. */
function TextOf({ asset }: { asset: ReadAsset }) {
  const t = useTexts(texts)
  const text = asset.ocr_text
  if (!text) return null
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast({ text: t.copied })
    } catch {
      toast({ text: t.cannotCopy })
    }
  }
  return (
    <Part title={t.text}>
      <div className={css.filter}>
        {technicalOf(asset).ocr && <p className={css.soft}>{t.textHelp}</p>}
        <IconButton label={t.copyText} onPress={() => void copy()}>
          <Copy />
        </IconButton>
      </div>
      <p className={css.prose}>{text}</p>
    </Part>
  )
}
