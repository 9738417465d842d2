import { Minus, Plus } from 'lucide-react'
import { useState } from 'react'
import { ToggleButton } from 'react-aria-components'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { Form } from '~/components/field/Form'
import { TextField } from '~/components/field/TextField'
import { Busy } from '~/components/state/Busy'
import { Notice } from '~/components/state/Notice'
import type { LoadedList } from '~/features/assets/list'
import type { Selection } from '~/features/selection/selection'
import { useFormat, useTexts } from '~/text/context'
import { type Changes, useChange } from './bulk'
import css from './KeywordsDialog.module.css'
import { type KeywordCount, useKeywordCounts } from './keywords'
import { texts } from './texts'

interface KeywordsDialogProps {
  list: LoadedList
  selection: Selection
  onClose: () => void
}

/** The keywords of the selection with their counts, to add to all or remove from all. */
export function KeywordsDialog({ list, selection, onClose }: KeywordsDialogProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const counts = useKeywordCounts(list, selection)
  const change = useChange(list, selection)
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set())
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const [text, setText] = useState('')
  const total = selection.count(list.total)
  const typed = wordsOf(text)
  const changes: Changes = {
    ...((added.size > 0 || typed.length > 0) && { add_keywords: [...new Set([...added, ...typed])] }),
    ...(removed.size > 0 && { remove_keywords: [...removed] }),
  }
  const some = Object.keys(changes).length > 0
  return (
    <Dialog title={t.keywordsOf(format.number(total))} isOpen onClose={onClose}>
      <Form
        onSubmit={async () => {
          if (some) await change(changes)
          onClose()
        }}
      >
        {({ pending }) => (
          <>
            <TextField
              label={t.addKeywords}
              help={t.separated}
              value={text}
              onChange={setText}
              autoFocus
              autoComplete="off"
            />
            {counts.isPending && <Busy label={t.counting} />}
            {counts.error && <Notice kind="danger">{counts.error.message}</Notice>}
            {counts.data?.length === 0 && <p className={css.none}>{t.noKeywords}</p>}
            <ul className={css.words}>
              {counts.data?.map(k => (
                <Row
                  key={k.word}
                  keyword={k}
                  total={total}
                  isAdded={added.has(k.word)}
                  isRemoved={removed.has(k.word)}
                  onAdd={on => {
                    setAdded(set(added, k.word, on))
                    setRemoved(set(removed, k.word, false))
                  }}
                  onRemove={on => {
                    setRemoved(set(removed, k.word, on))
                    setAdded(set(added, k.word, false))
                  }}
                />
              ))}
            </ul>
            <DialogButtons>
              <Button onPress={onClose}>{t.cancel}</Button>
              <Button type="submit" look="primary" isPending={pending} isDisabled={!some}>
                {t.save}
              </Button>
            </DialogButtons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

/** The comma-separated words of a text. */
function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map(w => w.trim())
    .filter(Boolean)
}

function set(words: ReadonlySet<string>, word: string, on: boolean): ReadonlySet<string> {
  const next = new Set(words)
  if (on) next.add(word)
  else next.delete(word)
  return next
}

interface RowProps {
  keyword: KeywordCount
  total: number
  isAdded: boolean
  isRemoved: boolean
  onAdd: (on: boolean) => void
  onRemove: (on: boolean) => void
}

/** One keyword: if only some assets have it, it can be added to all or removed from all. */
function Row({ keyword: k, total, isAdded, isRemoved, onAdd, onRemove }: RowProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const after = isAdded ? total : isRemoved ? 0 : k.count
  return (
    <li className={css.row} data-removed={isRemoved || undefined} data-added={isAdded || undefined}>
      <span className={css.word}>{k.word}</span>
      <span className={css.count}>{t.ofAll(format.number(after), format.number(total))}</span>
      <ToggleButton
        className={css.toggle}
        aria-label={t.fromAll(k.word)}
        isSelected={isRemoved}
        onChange={onRemove}
      >
        <Minus />
      </ToggleButton>
      <ToggleButton
        className={css.toggle}
        aria-label={t.toAll(k.word)}
        isSelected={isAdded}
        isDisabled={k.count >= total}
        onChange={onAdd}
      >
        <Plus />
      </ToggleButton>
    </li>
  )
}
