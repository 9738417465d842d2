import { ArrowRightLeft, ImageIcon } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { ApiError } from '~/api/client'
import { IconButton } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { useSelection } from '~/features/selection/context'
import { useFormat, useTexts } from '~/text/context'
import css from './Arrange.module.css'
import { type CollectionDetail, useChangeCollections } from './collections'
import { assetsType, cellOf, useDraggableAssets } from './dragged'
import { PositionDialog } from './PositionDialog'
import { useRights } from './rights'
import { texts } from './texts'

interface ArrangeProps {
  collection: CollectionDetail
  list: LoadedList
}

const most = 1000 // maximum number of assets per request

/** Whether a list is in its collection's manual order. */
function isOwnOrder({ collection, list }: ArrangeProps) {
  const { q, sort_by, sort_direction } = list.source.query
  const byPosition = sort_by === 'position' || (!sort_by && !q)
  return !collection.rules && byPosition && sort_direction !== 'desc'
}

/** Moves assets within a collection, and reports the new position. */
function useOrder({ collection, list }: ArrangeProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const { order } = useChangeCollections()
  const [said, setSaid] = useState('')
  /** Moves assets before the one at the given index, not counting themselves. */
  const move = async (gaids: readonly string[], position: number) => {
    try {
      const moving = new Set(gaids)
      const before = await list.gaids(0, Math.min(list.total - 1, position + gaids.length))
      const others = before.filter(g => !moving.has(g))
      const after = position > 0 ? (others[Math.min(position, others.length) - 1] ?? null) : null
      await order.mutateAsync({ id: collection.id, gaids: gaids.slice(0, most), after })
      setSaid(t.nowAt(format.number(position + 1), format.number(list.total)))
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  return { move, said }
}

/**
 * Orders the assets of a collection: by dragging, with Ctrl and an arrow key, or by entering a position. Dragged
 * assets can also be dropped on a collection in the tree.
 */
export function Arrange(props: ArrangeProps) {
  const { mayChange } = useRights()
  const { shown } = useSelection() // if set, the grid shows only selected assets
  useDraggableAssets(props.list)
  return mayChange && isOwnOrder(props) && !shown ? <Ordering {...props} /> : null
}

function Ordering(props: ArrangeProps) {
  const { move, said } = useOrder(props)
  const mark = useRef<HTMLDivElement>(null)
  useDropInGrid(props.list, mark, move)
  useArrowKeys(props.list, move)
  return (
    <>
      <div ref={mark} className={css.mark} hidden />
      <span role="status" className="visually-hidden">
        {said}
      </span>
    </>
  )
}

type Move = (gaids: readonly string[], position: number) => Promise<void>

/** Marks the drop position in the grid, and moves dropped assets there. */
function useDropInGrid(list: LoadedList, mark: RefObject<HTMLDivElement | null>, move: Move) {
  useEffect(() => {
    const hide = () => {
      if (mark.current) mark.current.hidden = true
    }
    const over = (e: DragEvent) => {
      const at = e.dataTransfer?.types.includes(assetsType) ? cellOf(e.target) : null
      if (!at || !mark.current) return hide()
      e.preventDefault()
      const box = at.cell.getBoundingClientRect()
      const behind = e.clientX > box.left + box.width / 2
      mark.current.hidden = false
      mark.current.style.left = `${behind ? box.right : box.left - 4}px`
      mark.current.style.top = `${box.top}px`
      mark.current.style.height = `${box.height}px`
    }
    const drop = (e: DragEvent) => {
      hide()
      const text = e.dataTransfer?.getData(assetsType)
      const at = text ? cellOf(e.target) : null
      if (!at || !text) return
      e.preventDefault()
      const box = at.cell.getBoundingClientRect()
      const gaids = JSON.parse(text) as string[]
      const index = at.index + (e.clientX > box.left + box.width / 2 ? 1 : 0)
      const before = gaids.filter(g => (list.indexOf(g) ?? Number.POSITIVE_INFINITY) < index).length
      void move(gaids, index - before)
    }
    document.addEventListener('dragover', over)
    document.addEventListener('drop', drop)
    document.addEventListener('dragend', hide)
    return () => {
      document.removeEventListener('dragover', over)
      document.removeEventListener('drop', drop)
      document.removeEventListener('dragend', hide)
    }
  })
}

/** Ctrl or ⌘ with the left or right arrow moves the focused asset, which keeps the focus. */
function useArrowKeys(list: LoadedList, move: Move) {
  useEffect(() => {
    const key = (e: KeyboardEvent) => {
      const by = e.key === 'ArrowLeft' ? -1 : e.key === 'ArrowRight' ? 1 : 0
      const at = by !== 0 && (e.ctrlKey || e.metaKey) ? cellOf(document.activeElement) : null
      if (!at) return
      e.preventDefault()
      e.stopPropagation()
      const to = at.index + by
      if (to < 0 || to >= list.total) return
      void move([at.gaid], to).then(() => {
        document.querySelector<HTMLElement>(`[role="grid"] [data-index="${to}"] a`)?.focus()
      })
    }
    document.addEventListener('keydown', key, true)
    return () => document.removeEventListener('keydown', key, true)
  })
}

/** Actions for the selected assets within their collection. */
export function ArrangeActions(props: ArrangeProps) {
  const t = useTexts(texts)
  const selection = useSelection()
  const { mayChange } = useRights()
  const { update } = useChangeCollections()
  const { move } = useOrder(props)
  const [asking, setAsking] = useState(false)
  const { collection, list } = props
  if (!mayChange) return null
  const [only, ...others] = selection.named ?? []
  const cover = async (gaid: string) => {
    await update.mutateAsync({ id: collection.id, body: { cover_gaid: gaid } })
    selection.clear()
    toast({ text: t.coverChosen })
  }
  return (
    <>
      {only && others.length === 0 && (
        <IconButton label={t.useAsCover} onPress={() => void cover(only)}>
          <ImageIcon />
        </IconButton>
      )}
      {isOwnOrder(props) && selection.count(list.total) <= most && (
        <IconButton label={t.toPosition} onPress={() => setAsking(true)}>
          <ArrowRightLeft />
        </IconButton>
      )}
      {asking && (
        <PositionDialog
          total={list.total - selection.count(list.total) + 1}
          onClose={() => setAsking(false)}
          onChosen={async position => move(await selectedGaids(list, selection), position - 1)}
        />
      )}
    </>
  )
}
