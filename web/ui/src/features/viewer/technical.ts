import type { ExifFacts } from './exposure'
import type { Shown } from './shown'

/** The technical metadata of a file, with the API's names. Each member may be missing. */
export interface Technical {
  file?: { frames?: number; no_preview?: string; preview?: string; warning?: string }
  exif?: ExifFacts
  video?: VideoFacts
  audio?: AudioFacts
  archive?: ArchiveFacts
  conflicts?: ConflictFact[]
  sidecars?: { filename: string; applied: boolean }[]
  content_credentials?: CredentialFacts
  ocr?: { pages?: RecognizedPage[] }
}

/** The text recognized in a picture. */
interface RecognizedPage {
  page: number
  /** Degrees of clockwise rotation before the recognition. */
  rotation?: number
  words: { t: string; x: number; y: number; w: number; h: number; c: number; l: number }[]
}

/** A field with different values in the metadata sources. */
export interface ConflictFact {
  field: string
  /** The source that the library uses; library for values written by users. */
  chosen: string
  sources: { source: string; value: string | number }[]
}

/** The content credentials of a file. */
interface CredentialFacts {
  verified: false
  signer?: string
  issuer?: string
  generator?: string
  title?: string
  source_type?: string
  actions?: string[]
}

interface Played {
  container?: string
  duration?: number
  /** Bits per second. */
  bit_rate?: number
  codec?: string
  channels?: number
  /** Samples per second. */
  sample_rate?: number
  /** Whether current browsers can play it. */
  playable?: boolean
  /** The reason why it was not transcoded. */
  no_proxy?: string
}

export interface VideoFacts extends Played {
  profile?: string
  pixel_format?: string
  frame_rate?: number
  rotation?: number
  audio_codec?: string
}

interface AudioFacts extends Played {
  bits?: number
  album?: string
  track?: string | number
  disc?: string | number
  genre?: string
  year?: string | number
  picture?: 'cover' | 'waveform'
}

export interface ArchiveFacts {
  kind?: string
  files?: number
  folders?: number
  unpacked_size?: number
  entries?: ArchiveEntry[]
  truncated?: boolean
  encrypted?: boolean
}

interface ArchiveEntry {
  path: string
  size?: number
  modified?: string | null
}

const none: Technical = {}

/** The technical metadata of an asset; empty if only loaded from a list. */
export function technicalOf(asset: Pick<Shown, 'technical'>): Technical {
  return (asset.technical as Technical | undefined) ?? none
}

const codecs: Record<string, string> = {
  h264: 'H.264',
  hevc: 'HEVC (H.265)',
  vp8: 'VP8',
  vp9: 'VP9',
  av1: 'AV1',
  mpeg1video: 'MPEG-1',
  mpeg2video: 'MPEG-2',
  mpeg4: 'MPEG-4',
  prores: 'ProRes',
  dnxhd: 'DNxHD',
  dvvideo: 'DV',
  mjpeg: 'Motion JPEG',
  theora: 'Theora',
  aac: 'AAC',
  ac3: 'AC-3',
  alac: 'ALAC',
  flac: 'FLAC',
  mp2: 'MP2',
  mp3: 'MP3',
  opus: 'Opus',
  vorbis: 'Vorbis',
}
const containers: Record<string, string> = {
  mp4: 'MP4',
  mov: 'QuickTime',
  matroska: 'Matroska',
  webm: 'WebM',
  avi: 'AVI',
  mpeg: 'MPEG',
  mpegts: 'MPEG-TS',
  ogg: 'Ogg',
  asf: 'Windows Media',
  flv: 'Flash Video',
  wav: 'WAV',
}

/** The display name of a codec. */
export const codecName = (codec: string) =>
  codecs[codec] ?? (codec.startsWith('pcm_') ? 'PCM' : codec.toUpperCase())

/** The display name of a container. */
export const containerName = (container: string) => containers[container] ?? container
