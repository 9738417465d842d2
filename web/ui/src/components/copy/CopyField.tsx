import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { IconButton } from '../button/Button'
import css from './CopyField.module.css'

const texts = catalogue({ copy: 'Copy', copied: 'Copied' }, { de: { copy: 'Kopieren', copied: 'Kopiert' } })

/** A text to take elsewhere, such as a token. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const t = useTexts(texts)
  const [copied, setCopied] = useState(false)
  return (
    <div className={css.field}>
      <input
        className={css.value}
        aria-label={label}
        value={value}
        readOnly
        onFocus={e => e.currentTarget.select()}
      />
      <IconButton
        label={copied ? t.copied : t.copy}
        onPress={async () => {
          await navigator.clipboard.writeText(value)
          setCopied(true)
        }}
      >
        {copied ? <Check /> : <Copy />}
      </IconButton>
    </div>
  )
}
