import { AudioLines } from 'lucide-react'
import { type KeyboardEvent, useEffect, useImperativeHandle, useState } from 'react'
import { Busy } from '~/components/state/Busy'
import { useAsset } from '~/features/assets/asset'
import { local } from '~/features/assets/Thumbnail'
import { useCan } from '~/features/session/rights'
import { useFormat, useTexts } from '~/text/context'
import type { ShowsProps } from '../controls'
import type { Shown } from '../shown'
import { codecName, containerName, technicalOf, type VideoFacts } from '../technical'
import { texts as viewerTexts } from '../texts'
import { Unseen } from '../Unseen'
import { Controls } from './Controls'
import css from './Player.module.css'
import { usePoster } from './poster'
import { texts } from './texts'
import { type Playing, usePlayer } from './usePlayer'

/** A video or audio player, or the reason why it cannot play. */
export default function Player(props: ShowsProps) {
  const t = useTexts(viewerTexts)
  const { asset } = props
  const [failed, setFailed] = useState<readonly string[]>([])
  // Lists do not contain the format; without it, the browser detects it.
  if (useAsset(asset.gaid).isPending) return <Busy label={t.loading} />
  const facts = factsOf(asset)
  const { original, proxy } = asset.urls
  const sources = facts.playable === false ? [proxy] : [original, proxy]
  const source = sources.find(url => url && !failed.includes(url))
  if (!source) return <Unplayable asset={asset} triedHere={facts.playable !== false} />
  return <Playable key={source} {...props} source={source} onFailed={() => setFailed([...failed, source])} />
}

function factsOf(asset: Shown): VideoFacts {
  const { video, audio } = technicalOf(asset)
  return video ?? audio ?? {}
}

interface PlayableProps extends ShowsProps {
  source: string
  onFailed: () => void
}

const step = 5 // seconds per arrow key press
const leap = 10 // seconds for j and l

function Playable({ asset, controls, source, onFailed }: PlayableProps) {
  const can = useCan()
  const isVideo = asset.file_category === 'Video'
  const { audio } = technicalOf(asset)
  const { ref, playing } = usePlayer<HTMLVideoElement>({
    duration: asset.duration,
    frameRate: factsOf(asset).frame_rate,
  })
  const poster = usePoster(asset)
  const steer = {
    play: playing.play,
    skip: playing.skip,
    speed: playing.faster,
    mute: playing.mute,
    ...(isVideo && { frame: playing.frame }),
  }
  useImperativeHandle(controls, () => steer)
  useEffect(() => {
    const el = ref.current
    return () => el?.pause() // audio removed from the page would continue to play
  }, [ref])
  const media = {
    src: local(source),
    'aria-label': asset.title,
    preload: 'metadata',
    onError: onFailed,
  } as const
  const mayPoster = isVideo && can('assets:write') && !asset.deleted_at
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys for what is in it
    <div className={css.player} onKeyDown={e => onKey(e, playing)}>
      {isVideo ? (
        <div className={css.stage}>
          <video
            {...media}
            ref={ref}
            className={css.video}
            poster={asset.urls.preview ? local(asset.urls.preview) : undefined}
            playsInline
            onClick={playing.play}
          />
        </div>
      ) : (
        <div className={css.sound}>
          <audio {...media} ref={ref} />
          <Cover asset={asset} />
          <h2>{asset.title}</h2>
          <About asset={asset} />
        </div>
      )}
      <Controls
        playing={playing}
        behind={!isVideo && audio?.picture === 'waveform' && <Waveform asset={asset} playing={playing} />}
        hasFrames={isVideo}
        onPoster={mayPoster ? () => ref.current && void poster(ref.current) : undefined}
      />
    </div>
  )
}

/** Keys while the player has the focus: otherwise the viewer uses K and M, and arrows move to the next asset. */
function onKey(e: KeyboardEvent, p: Playing) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return
  const target = e.target as Element
  if (target.closest('[aria-haspopup], [role=listbox]')) return
  const isSlider = target.matches('input')
  const isVolume = target.matches('[data-volume]')
  const act = keyed(e.key, p) ?? (isSlider ? onSlider(e.key, p, isVolume) : undefined)
  if (!act) return
  e.preventDefault()
  act()
}

function keyed(key: string, p: Playing): (() => void) | undefined {
  switch (key) {
    case 'k':
      return p.play
    case 'm':
      return p.mute
    case 'j':
      return () => p.skip(-leap)
    case 'l':
      return () => p.skip(leap)
    case ',':
      return () => p.frame(-1)
    case '.':
      return () => p.frame(1)
  }
  return undefined
}

function onSlider(key: string, p: Playing, isVolume: boolean): (() => void) | undefined {
  if (key === ' ') return p.play
  if (isVolume) return undefined
  switch (key) {
    case 'ArrowLeft':
      return () => p.skip(-step)
    case 'ArrowRight':
      return () => p.skip(step)
    case 'Home':
      return () => p.seek(0)
    case 'End':
      return () => p.seek(p.duration)
  }
  return undefined
}

/** The cover picture of an audio file. */
function Cover({ asset }: { asset: Shown }) {
  if (technicalOf(asset).audio?.picture === 'waveform') return null
  if (!asset.urls.preview) return <AudioLines aria-hidden className={css.icon} />
  return <img key={asset.thumbhash} src={local(asset.urls.preview)} alt="" className={css.cover} />
}

/** The album, the year and the duration of an audio file. */
function About({ asset }: { asset: Shown }) {
  const { audio } = technicalOf(asset)
  const format = useFormat()
  const parts = [audio?.album, audio?.year, asset.duration ? format.duration(asset.duration) : '']
  return <p className={css.soft}>{parts.filter(Boolean).join(' · ')}</p>
}

/** The waveform of an audio file, coloured up to the current position. */
function Waveform({ asset, playing }: { asset: Shown; playing: Playing }) {
  if (!asset.urls.preview) return null
  const played = playing.duration ? playing.time / playing.duration : 0
  return (
    <>
      <img key={asset.thumbhash} src={local(asset.urls.preview)} alt="" className={css.waveform} />
      <span className={css.played} style={{ width: `${played * 100}%` }} />
    </>
  )
}

/** Explains why a video or audio file cannot be played. */
function Unplayable({ asset, triedHere }: { asset: Shown; triedHere: boolean }) {
  const t = useTexts(texts)
  const { codec, audio_codec, container, no_proxy } = factsOf(asset)
  const codecs = [codec, audio_codec].flatMap(c => (c ? [codecName(c)] : []))
  const what = container
    ? t.kindOf(codecs.join(' + '), containerName(container))
    : asset.extension.toUpperCase()
  return (
    <Unseen asset={asset}>
      <p role="status">{triedHere ? t.cannotPlayHere(what) : t.cannotPlay(what)}</p>
      {no_proxy && (
        <p>
          {t.noCopy} <span lang="en">{no_proxy}</span>
        </p>
      )}
    </Unseen>
  )
}
