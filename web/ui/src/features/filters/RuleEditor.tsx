import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { Button } from '~/components/button/Button'
import { Segments } from '~/components/button/Segments'
import { TextField } from '~/components/field/TextField'
import { Notice } from '~/components/state/Notice'
import { useFormat, useTexts } from '~/text/context'
import { Builder } from './Builder'
import css from './RuleEditor.module.css'
import { texts } from './texts'
import { documentOf, type Group, type Problem, parseFilter } from './tree'
import { type SearchText, useFilterTrial } from './trial'

interface RuleEditorProps {
  value: Group
  onChange: (group: Group) => void
  /** A search text that assets must match too, included in the count. */
  text?: SearchText
  /** Errors of the server for the saved document, by path. */
  errors?: Record<string, string[]>
}

/** The builder with the number of matching assets, and the document as JSON. */
export function RuleEditor({ value, onChange, text, errors = {} }: RuleEditorProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const [view, setView] = useState<'rules' | 'json'>('rules')
  const trial = useFilterTrial(value, text)
  const all = { ...errors, ...trial.errors }
  return (
    <div className={css.editor}>
      <div className={css.head}>
        <Segments
          label={t.view}
          choices={{ rules: t.asRules, json: t.asJSON }}
          value={view}
          onChange={setView}
        />
        <p role="status" className={css.count}>
          {trial.isUnfinished
            ? t.unfinished
            : trial.total !== null
              ? t.match_count(format.number(trial.total), trial.total === 1)
              : trial.isPending && t.counting}
        </p>
      </div>
      {trial.message && <Notice kind="danger">{trial.message}</Notice>}
      {view === 'rules' ? (
        <Builder value={value} onChange={onChange} errors={all} />
      ) : (
        <JSONText value={value} onChange={onChange} errors={all} />
      )}
    </div>
  )
}

function JSONText({
  value,
  onChange,
  errors,
}: Required<Pick<RuleEditorProps, 'value' | 'onChange' | 'errors'>>) {
  const t = useTexts(texts)
  const [text, setText] = useState(() => JSON.stringify(documentOf(value), null, 2))
  const [problem, setProblem] = useState<Problem | null>(null)
  const [copied, setCopied] = useState(false)
  const told = Object.entries(errors).map(([path, messages]) => `${path}: ${messages.join(' ')}`)
  return (
    <div className={css.json}>
      <TextField
        label={t.document}
        long
        value={text}
        errors={problem ? [t.problems[problem] ?? problem] : told}
        onChange={typed => {
          setText(typed)
          setCopied(false)
          const group = parseFilter(typed)
          setProblem(typeof group === 'string' ? group : null)
          if (typeof group !== 'string') onChange(group)
        }}
      />
      <Button
        look="quiet"
        onPress={async () => {
          await navigator.clipboard.writeText(text)
          setCopied(true)
        }}
      >
        {copied ? <Check /> : <Copy />} {copied ? t.copied : t.copy}
      </Button>
    </div>
  )
}
