import { SlidersHorizontal } from 'lucide-react'
import { IconButton } from '~/components/button/Button'
import { useTexts } from '~/text/context'
import { texts } from './texts'

/** Shows or hides the filter panel. */
export function FilterButton({ isOn, onChange }: { isOn: boolean; onChange: (isOn: boolean) => void }) {
  const t = useTexts(texts)
  return (
    <IconButton label={t.filters} aria-pressed={isOn} onPress={() => onChange(!isOn)}>
      <SlidersHorizontal />
    </IconButton>
  )
}
