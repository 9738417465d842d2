import css from './Words.module.css'
import type { TextLine } from './words'

interface TextLayerProps {
  lines: TextLine[]
  /** The aspect ratio of the picture, width to height. */
  ratio: number
  /** Whether text areas are visible. */
  isShown?: boolean
}

/** The invisible text of a picture above it, for selecting and for screen readers. */
export function TextLayer({ lines, ratio, isShown }: TextLayerProps) {
  return (
    <div className={css.text} data-shown={isShown || undefined}>
      {lines.map((line, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a picture stay as they are
        <Line key={i} line={line} ratio={ratio} />
      ))}
    </div>
  )
}

const measuredAt = 100 // font size in pixels at which text is measured
let pen: CanvasRenderingContext2D | null | undefined

/** The width of a text relative to its font size. */
function widthOf(text: string): number {
  pen ??= document.createElement('canvas').getContext('2d')
  if (!pen) return text.length / 2
  pen.font = `${measuredAt}px sans-serif`
  return pen.measureText(text).width / measuredAt
}

const share = (n: number) => `${n * 100}%`

/** An invisible line of text, as wide and as high as that in the picture. */
function Line({ line, ratio }: { line: TextLine; ratio: number }) {
  const { text, x, y, width, height } = line
  const natural = widthOf(text) * height
  const stretch = natural > 0 ? (width * ratio) / natural : 1
  return (
    <div
      className={css.line}
      style={{
        left: share(x),
        top: share(y),
        fontSize: `${height * 100}cqh`,
        transform: `scaleX(${stretch})`,
      }}
    >
      {text}
    </div>
  )
}
