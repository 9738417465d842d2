import { Pause, Play } from 'lucide-react'
import { useImperativeHandle, useRef, useState } from 'react'
import { Button } from '~/components/button/Button'
import { useTexts } from '~/text/context'
import css from './Animation.module.css'
import type { ShowsProps, ViewControls } from './controls'
import { Picture } from './Picture'
import { texts } from './texts'

/** An animation that can be paused; with reduced motion, it starts paused. */
export function Animation({ controls, ...props }: ShowsProps) {
  const t = useTexts(texts)
  const picture = useRef<ViewControls>(null)
  const [plays, setPlays] = useState(() => !window.matchMedia('(prefers-reduced-motion: reduce)').matches)
  useImperativeHandle(controls, () => ({ ...picture.current, play: () => setPlays(!plays) }))
  return (
    <>
      <Picture {...props} controls={picture} isPlaying={plays} />
      <div className={css.button}>
        <Button onPress={() => setPlays(!plays)}>
          {plays ? <Pause /> : <Play />} {plays ? t.pause : t.play}
        </Button>
      </div>
    </>
  )
}
