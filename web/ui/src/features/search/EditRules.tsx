import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Dialog, DialogButtons } from '~/components/dialog/Dialog'
import { type AssetQuery, textOf } from '~/features/assets/query'
import { RuleEditor } from '~/features/filters/RuleEditor'
import { isComplete, newGroup, readFilter, writeFilter } from '~/features/filters/tree'
import { useTexts } from '~/text/context'
import { texts } from './texts'

interface EditRulesProps {
  query: AssetQuery
  onChange: (changes: Partial<AssetQuery>) => void
  onClose: () => void
}

/** The filters of a search as freely editable rules. */
export default function EditRules({ query, onChange, onClose }: EditRulesProps) {
  const t = useTexts(texts)
  const [draft, setDraft] = useState(() => readFilter(query.filters) ?? newGroup(false))
  return (
    <Dialog title={t.rules} isOpen onClose={onClose} wide>
      <RuleEditor value={draft} onChange={setDraft} text={textOf(query)} />
      <DialogButtons>
        <Button onPress={onClose}>{t.cancel}</Button>
        <Button
          look="primary"
          isDisabled={!isComplete(draft)}
          onPress={() => {
            onChange({ filters: writeFilter(draft) })
            onClose()
          }}
        >
          {t.apply}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
