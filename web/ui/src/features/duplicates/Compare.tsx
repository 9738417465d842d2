import { Check, Minus, Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { Button, IconButton } from '~/components/button/Button'
import { Select } from '~/components/field/Select'
import { useCan } from '~/features/session/rights'
import { Picture } from '~/features/viewer/Picture'
import { fitted, zoomed } from '~/features/viewer/zoom'
import { useTexts } from '~/text/context'
import type { AssetItem, Group } from './best'
import css from './Compare.module.css'
import { useRows } from './facts'
import type { Choice } from './GroupCard'
import { texts } from './texts'

const largest = 16
const step = 1.5

interface CompareProps {
  group: Group
  choice: Choice
  onChoose: (c: Choice) => void
  onClose: () => void
}

/** Two assets of a group side by side, zoomed and moved together. */
export function Compare({ group, choice, onChoose, onClose }: CompareProps) {
  const t = useTexts(texts)
  const [pair, setPair] = useState<[number, number]>([0, 1])
  const [place, setPlace] = useState(fitted)
  const zoom = (by: number) => setPlace(p => zoomed(p, by, 0, 0, largest))
  const swap = (side: 0 | 1, i: number) => setPair(side === 0 ? [i, pair[1]] : [pair[0], i])
  const choices = group.assets.map((a, i) => ({ id: String(i), text: `${i + 1}: ${a.title}` }))
  return (
    <ModalOverlay isOpen onOpenChange={open => open || onClose()} className={css.over}>
      <Modal className={css.modal}>
        <Dialog className={css.dialog}>
          <div className={css.bar}>
            <Heading slot="title" level={2} className={css.heading}>
              {t.compare}
            </Heading>
            <IconButton label={t.further} onPress={() => zoom(1 / step)}>
              <Minus />
            </IconButton>
            <IconButton label={t.closer} onPress={() => zoom(step)}>
              <Plus />
            </IconButton>
            <IconButton label={t.close} onPress={onClose}>
              <X />
            </IconButton>
          </div>
          <div className={css.sides}>
            {pair.map((index, side) => {
              const asset = group.assets[index]
              if (!asset) return null
              return (
                <section
                  key={side === 0 ? 'left' : 'right'}
                  className={css.side}
                  aria-label={side === 0 ? t.left : t.right}
                >
                  <div className={css.frame}>
                    <Picture key={asset.gaid} asset={asset} isCurrent place={place} onPlace={setPlace} />
                  </div>
                  <Facts assets={group.assets} index={index} other={pair[side === 0 ? 1 : 0] ?? 0} />
                  <div className={css.foot}>
                    {group.assets.length > 2 && (
                      <Select
                        label={side === 0 ? t.left : t.right}
                        hideLabel
                        choices={choices}
                        value={String(index)}
                        onChange={v => swap(side as 0 | 1, Number(v))}
                      />
                    )}
                    <Keep asset={asset} choice={choice} onChoose={onChoose} />
                  </div>
                </section>
              )
            })}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}

function Keep({ asset, choice, onChoose }: { asset: AssetItem } & Pick<CompareProps, 'choice' | 'onChoose'>) {
  const t = useTexts(texts)
  const can = useCan()
  const kept = choice.kept === asset.gaid
  if (!can('assets:delete')) return null
  return (
    <Button
      look={kept ? 'primary' : 'plain'}
      aria-pressed={kept}
      onPress={() => onChoose({ ...choice, kept: asset.gaid })}
    >
      {kept && <Check />} {kept ? t.kept : t.keepThis}
    </Button>
  )
}

/** The facts that differ between two assets. */
function Facts({ assets, index, other }: { assets: readonly AssetItem[]; index: number; other: number }) {
  const t = useTexts(texts)
  const rows = useRows(assets).filter(r => r.values[index] !== r.values[other])
  return (
    <p className={css.facts}>
      <strong>{assets[index]?.title}</strong>{' '}
      {rows.length === 0 ? t.noDifference : rows.map(r => `${r.name}: ${r.values[index]}`).join(' · ')}
    </p>
  )
}
