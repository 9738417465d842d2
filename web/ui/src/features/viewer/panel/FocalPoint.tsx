import { type KeyboardEvent, type MouseEvent, useState } from 'react'
import { ApiError } from '~/api/client'
import { Button } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import { local } from '~/features/assets/Thumbnail'
import { useTexts } from '~/text/context'
import css from './FocalPoint.module.css'
import type { EditProps } from './save'
import { texts } from './texts'

interface Point {
  x: number
  y: number
}

const step = 0.02 // fraction of the picture per arrow key press
const middle: Point = { x: 0.5, y: 0.5 }

/** The point of the picture that crops should include: set by a click, or moved with arrow keys. */
export function FocalPoint({ asset, save }: EditProps) {
  const t = useTexts(texts)
  const [moving, setMoving] = useState<Point | null>(null)
  const point = moving ?? asset.focal_point
  const put = async (focal_point: Point | null) => {
    try {
      await save?.({ focal_point })
    } catch (e) {
      toast({ text: e instanceof ApiError ? e.message : t.cannotSave })
    } finally {
      setMoving(null)
    }
  }
  const onClick = (e: MouseEvent<HTMLButtonElement>) => {
    if (e.detail === 0) return // activated by a key
    const r = e.currentTarget.getBoundingClientRect()
    void put({ x: round((e.clientX - r.left) / r.width), y: round((e.clientY - r.top) / r.height) })
  }
  const onKeyDown = (e: KeyboardEvent) => {
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[
      e.key
    ]
    if (!by) {
      if (e.key === 'Enter' && moving) void put(moving)
      return
    }
    e.preventDefault()
    e.stopPropagation()
    const [dx = 0, dy = 0] = by
    const p = point ?? middle
    setMoving({ x: round(p.x + dx), y: round(p.y + dy) })
  }
  const picture = asset.urls.preview ? local(asset.urls.preview) : ''
  const said = point ? t.focalAt(percent(point.x), percent(point.y)) : t.focalNone
  return (
    <>
      <button
        type="button"
        className={css.picture}
        disabled={!save}
        aria-label={`${t.focalPoint}: ${said}`}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onBlur={() => moving && void put(moving)}
      >
        <img src={picture} alt="" draggable={false} />
        {point && (
          <span className={css.point} style={{ left: `${point.x * 100}%`, top: `${point.y * 100}%` }} />
        )}
      </button>
      {save && (
        <p className={css.help}>
          {t.focalHelp}{' '}
          {asset.focal_point && (
            <Button look="quiet" onPress={() => void put(null)}>
              {t.clear}
            </Button>
          )}
        </p>
      )}
    </>
  )
}

function round(share: number): number {
  return Math.round(Math.min(1, Math.max(0, share)) * 1000) / 1000
}

function percent(share: number): number {
  return Math.round(share * 100)
}
