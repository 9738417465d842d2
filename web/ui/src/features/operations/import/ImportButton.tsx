import { FileUp } from 'lucide-react'
import { lazy, Suspense, useRef, useState } from 'react'
import { Button } from '~/components/button/Button'
import { useCan } from '~/features/session/rights'
import { useTexts } from '~/text/context'
import { texts } from './texts'

const ImportDialog = lazy(() => import('./ImportDialog'))

/** Picks a table with metadata, and imports it. */
export function ImportButton() {
  const t = useTexts(texts)
  const can = useCan()
  const input = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<{ file: File; id: string } | null>(null)
  if (!can('assets:write')) return null
  const choose = () => input.current?.click()
  return (
    <>
      <Button onPress={choose}>
        <FileUp /> {t.importTable}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values"
        aria-label={t.chooseFile}
        onChange={e => {
          const file = e.target.files?.[0]
          if (file) setChosen({ file, id: crypto.randomUUID() })
          e.target.value = '' // the same can be picked again
        }}
      />
      {chosen && (
        <Suspense>
          <ImportDialog
            key={chosen.id}
            file={chosen.file}
            id={chosen.id}
            onChoose={choose}
            onClose={() => setChosen(null)}
          />
        </Suspense>
      )}
    </>
  )
}
