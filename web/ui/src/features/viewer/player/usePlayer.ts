import { useEffect, useRef, useState } from 'react'

/** The playback speeds. */
export const speeds = [0.5, 0.75, 1, 1.25, 1.5, 2] as const

const volumeKey = 'dal.viewer.volume'
const usualRate = 30 // frames per second, if unknown

/** The state of a player, and its controls. */
export interface Playing {
  /** Seconds from the start. */
  time: number
  /** In seconds; 0 until it is known. */
  duration: number
  paused: boolean
  muted: boolean
  volume: number
  speed: number
  play: () => void
  /** Seeks to a time in seconds. */
  seek: (time: number) => void
  skip: (seconds: number) => void
  frame: (by: number) => void
  faster: (by: 1 | -1) => void
  setSpeed: (speed: number) => void
  mute: () => void
  setVolume: (volume: number) => void
}

interface Known {
  /** In seconds, if the browser cannot detect it. */
  duration: number | null
  frameRate?: number | undefined
}

const events = [
  'timeupdate',
  'seeking',
  'durationchange',
  'play',
  'pause',
  'volumechange',
  'ratechange',
  'ended',
]

/** Tracks and controls a media element. It starts with the last volume. */
export function usePlayer<T extends HTMLMediaElement>({ duration, frameRate }: Known) {
  const ref = useRef<T>(null)
  const [, setTold] = useState(0)
  useEffect(() => {
    const el = ref.current
    if (!el) return
    const told = () => setTold(n => n + 1)
    el.volume = storedVolume()
    el.muted = el.volume === 0
    for (const e of events) el.addEventListener(e, told)
    told()
    return () => {
      for (const e of events) el.removeEventListener(e, told)
    }
  }, [])
  const el = ref.current
  const length = el && Number.isFinite(el.duration) ? el.duration : (duration ?? 0)
  const seek = (time: number) => {
    if (ref.current) ref.current.currentTime = Math.min(Math.max(0, time), length || time)
  }
  const setSpeed = (speed: number) => {
    if (ref.current) ref.current.playbackRate = speed
  }
  const skip = (seconds: number) => seek((ref.current?.currentTime ?? 0) + seconds)
  const speed = el?.playbackRate ?? 1
  const playing: Playing = {
    time: el?.currentTime ?? 0,
    duration: length,
    paused: el?.paused ?? true,
    muted: el?.muted ?? false,
    volume: el?.volume ?? 1,
    speed,
    play: () => {
      if (!ref.current?.paused) ref.current?.pause()
      else void ref.current.play().catch(() => {}) // the element reports the error itself
    },
    seek,
    skip,
    frame: by => {
      ref.current?.pause()
      skip(by / (frameRate || usualRate))
    },
    faster: by => {
      const i = speeds.indexOf(speed as (typeof speeds)[number]) + by
      setSpeed(speeds[Math.min(Math.max(0, i), speeds.length - 1)] ?? 1)
    },
    setSpeed,
    mute: () => {
      if (ref.current) ref.current.muted = !ref.current.muted
    },
    setVolume: volume => {
      if (!ref.current) return
      ref.current.volume = volume
      ref.current.muted = volume === 0
      localStorage.setItem(volumeKey, String(volume))
    },
  }
  return { ref, playing }
}

function storedVolume(): number {
  const volume = Number(localStorage.getItem(volumeKey) ?? 1)
  return volume >= 0 && volume <= 1 ? volume : 1
}
