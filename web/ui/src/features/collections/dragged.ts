import { useEffect } from 'react'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { useSelection } from '~/features/selection/context'

/** The media type of dragged assets: their GAIDs as JSON. */
export const assetsType = 'application/x-dal-assets'

export interface GridCell {
  cell: HTMLElement
  index: number
  gaid: string
}

/** The grid or table cell that contains an element, with its asset. */
export function cellOf(target: EventTarget | null): GridCell | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[role="grid"] [data-index]') : null
  const link = cell?.querySelector<HTMLAnchorElement>('a[href*="/assets/"]')
  const gaid = link?.pathname.split('/').at(-1)
  return cell && gaid ? { cell, index: Number(cell.dataset.index), gaid } : null
}

/**
 * Makes the assets of a list draggable with the mouse: the one under it, or all selected ones if it is selected. With
 * Shift, Ctrl or ⌘, the mouse selects instead.
 */
export function useDraggableAssets(list: LoadedList) {
  const selection = useSelection()
  useEffect(() => {
    let chosen: readonly string[] = selection.named ?? []
    // The GAIDs of a large selection must be loaded, but a drag cannot wait for them.
    const read = () => {
      if (selection.named) chosen = selection.named
      else void selectedGaids(list, selection).then(all => (chosen = all))
    }
    const down = (e: PointerEvent) => {
      const link = cellOf(e.target)?.cell.querySelector('a')
      if (!link) return
      link.draggable = e.pointerType === 'mouse' && !e.shiftKey && !e.ctrlKey && !e.metaKey
      read()
    }
    const start = (e: DragEvent) => {
      const at = cellOf(e.target)
      if (!at || !e.dataTransfer) return
      const gaids = selection.has(at.gaid) ? chosen : [at.gaid]
      e.dataTransfer.clearData()
      e.dataTransfer.setData(assetsType, JSON.stringify(gaids))
      e.dataTransfer.effectAllowed = 'copyMove'
      if (gaids.length > 1) e.dataTransfer.setDragImage(badge(gaids.length), 0, 0)
    }
    document.addEventListener('pointerdown', down, true)
    document.addEventListener('dragstart', start)
    return () => {
      document.removeEventListener('pointerdown', down, true)
      document.removeEventListener('dragstart', start)
    }
  }, [list, selection])
}

/** The number of dragged assets, displayed under the pointer. */
function badge(count: number): HTMLElement {
  const el = document.createElement('div')
  el.textContent = String(count)
  Object.assign(el.style, {
    position: 'fixed',
    top: '-10rem',
    padding: 'var(--space-2) var(--space-4)',
    borderRadius: 'var(--radius-full)',
    background: 'var(--accent-fill)',
    color: 'var(--on-accent)',
    fontWeight: '650',
  })
  document.body.append(el)
  setTimeout(() => el.remove())
  return el
}
