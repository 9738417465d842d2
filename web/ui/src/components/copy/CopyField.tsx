import { Check, Copy } from 'lucide-react'
import { useRef, useState } from 'react'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import { IconButton } from '../button/Button'
import css from './CopyField.module.css'

const texts = catalogue({ copy: 'Copy', copied: 'Copied' }, { de: { copy: 'Kopieren', copied: 'Kopiert' } })

/**
 * Copies a text. Browsers offer the clipboard API only on encrypted connections; elsewhere the field's selection is
 * copied.
 */
async function copy(field: HTMLInputElement) {
  if (navigator.clipboard) return await navigator.clipboard.writeText(field.value)
  field.select()
  document.execCommand('copy')
}

/** A text to copy, such as a token. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const t = useTexts(texts)
  const [copied, setCopied] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  return (
    <div className={css.field}>
      <input
        ref={field}
        className={css.value}
        aria-label={label}
        value={value}
        readOnly
        onFocus={e => e.currentTarget.select()}
      />
      <IconButton
        label={copied ? t.copied : t.copy}
        onPress={async () => {
          if (!field.current) return
          await copy(field.current)
          setCopied(true)
        }}
      >
        {copied ? <Check /> : <Copy />}
      </IconButton>
    </div>
  )
}
