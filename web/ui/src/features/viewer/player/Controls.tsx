import { Camera, ChevronFirst, ChevronLast, Pause, Play, Volume2, VolumeX } from 'lucide-react'
import type { ReactNode } from 'react'
import { IconButton } from '~/components/button/Button'
import { Select } from '~/components/field/Select'
import { useFormat, useTexts } from '~/text/context'
import css from './Controls.module.css'
import { texts } from './texts'
import { type Playing, speeds } from './usePlayer'

interface ControlsProps {
  playing: Playing
  /** Content behind the seek bar. */
  behind?: ReactNode
  /** Frame-by-frame stepping is available. */
  hasFrames?: boolean
  /** Sets the current frame as the asset's poster. */
  onPoster?: (() => void) | undefined
}

/** The controls of a video or audio player. */
export function Controls({ playing: p, behind, hasFrames = false, onPoster }: ControlsProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const clock = (s: number) => format.duration(Math.floor(s))
  const at = t.timeOf(clock(p.time), clock(p.duration))
  return (
    <div className={css.controls}>
      <div className={behind ? `${css.seek} ${css.tall}` : css.seek}>
        {behind}
        <input
          type="range"
          aria-label={t.position}
          aria-valuetext={at}
          min={0}
          max={p.duration || 1}
          step="any"
          value={Math.min(p.time, p.duration || 1)}
          onChange={e => p.seek(e.currentTarget.valueAsNumber)}
        />
      </div>
      <div className={css.row}>
        <IconButton label={p.paused ? t.play : t.pause} onPress={p.play}>
          {p.paused ? <Play /> : <Pause />}
        </IconButton>
        {hasFrames && (
          <>
            <IconButton label={t.frameBack} className={css.wide} onPress={() => p.frame(-1)}>
              <ChevronFirst />
            </IconButton>
            <IconButton label={t.frameOn} className={css.wide} onPress={() => p.frame(1)}>
              <ChevronLast />
            </IconButton>
          </>
        )}
        <span className={css.time}>{at}</span>
        <IconButton label={p.muted ? t.unmute : t.mute} onPress={p.mute}>
          {p.muted ? <VolumeX /> : <Volume2 />}
        </IconButton>
        <input
          type="range"
          className={css.volume}
          data-volume
          aria-label={t.volume}
          aria-valuetext={format.percent(p.muted ? 0 : p.volume)}
          min={0}
          max={1}
          step={0.05}
          value={p.muted ? 0 : p.volume}
          onChange={e => p.setVolume(e.currentTarget.valueAsNumber)}
        />
        <div className={css.speed}>
          <Select
            label={t.speed}
            hideLabel
            choices={speeds.map(s => ({ id: String(s), text: `${format.number(s)}×` }))}
            value={String(p.speed)}
            onChange={s => p.setSpeed(Number(s))}
          />
        </div>
        {onPoster && (
          <IconButton label={t.usePoster} onPress={onPoster}>
            <Camera />
          </IconButton>
        )}
      </div>
    </div>
  )
}
