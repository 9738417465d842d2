import { Check, X } from 'lucide-react'
import { Button, Label, Tag, TagGroup, TagList } from 'react-aria-components'
import type { ReadAsset } from '~/features/assets/asset'
import { useFormat, useTexts } from '~/text/context'
import { texts } from './machineTexts'
import css from './Panel.module.css'
import { ConflictNote } from './Row'
import type { Save } from './save'
import { useEditable } from './useEditable'

interface MachineTagsProps {
  asset: ReadAsset
  /** Saves changes; undefined if read-only. */
  save: Save | undefined
}

/** Tags chosen by models: a user accepts them as keywords, or removes them permanently. */
export function MachineTags({ asset, save }: MachineTagsProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const { ai_tags: tags, keywords } = asset
  const without = (tag: string) => tags.filter(other => other !== tag)
  const field = useEditable({
    name: 'ai_tags',
    value: tags,
    onSave: async (ai_tags: string[], force?: boolean) => save?.({ ai_tags }, force),
  })
  const accept = (tag: string) => {
    const known = keywords.some(k => k.toLowerCase() === tag.toLowerCase())
    void save?.({ keywords: known ? keywords : [...keywords, tag], ai_tags: without(tag) })
  }
  const details = new Map(asset.ai_tag_details.map(d => [d.tag, d]))
  const why = (tag: string) => {
    const d = details.get(tag)
    if (!d) return ''
    return [t.sources[d.source], d.model, d.score !== null && t.sure(format.percent(d.score))]
      .filter(Boolean)
      .join(', ')
  }
  return (
    <div data-field="ai_tags">
      <TagGroup
        {...(save && { onRemove: keys => void field.commit(tags.filter(tag => !keys.has(tag))) })}
        className={css.tagGroup}
      >
        <Label className="visually-hidden">{t.tags}</Label>
        <TagList
          className={css.tags}
          items={tags.map(id => ({ id, why: why(id) }))}
          dependencies={[save, keywords]}
        >
          {({ id, why }) => (
            <Tag
              id={id}
              textValue={why ? `${id} (${why})` : id}
              className={`${css.tag} ${css.foundTag}`}
              {...(save && { onAction: () => accept(id) })}
            >
              <span title={why}>
                {id}
                {typeof details.get(id)?.score === 'number' && (
                  <span className={css.score}> {format.percent(details.get(id)?.score ?? 0)}</span>
                )}
              </span>
              {save && (
                <>
                  <Button
                    slot={null}
                    className={css.tagButton}
                    aria-label={t.accept(id)}
                    onPress={() => accept(id)}
                    excludeFromTabOrder
                  >
                    <Check size={12} />
                  </Button>
                  <Button slot="remove" className={css.tagButton} aria-label={t.remove(id)}>
                    <X size={12} />
                  </Button>
                </>
              )}
            </Tag>
          )}
        </TagList>
      </TagGroup>
      {save && <p className={css.soft}>{t.help}</p>}
      <ConflictNote conflict={field.conflict} theirs={tags.join(', ')} />
    </div>
  )
}
