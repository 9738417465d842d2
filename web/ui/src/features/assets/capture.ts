/** An offset from UTC as the interface has it, -08:00, of what people write: -8, +5:45, UTC+1, Z. Else the text itself. */
export function offsetIn(text: string): string {
  const plain = text.replace(/\s/g, '').replace('−', '-').toUpperCase()
  if (/^(Z|UTC|GMT)$/.test(plain)) return '+00:00'
  const [, sign, hours = '', minutes = '00'] =
    plain.match(/^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/) ?? []
  return sign ? `${sign}${hours.padStart(2, '0')}:${minutes}` : text
}

/** A duration as the interface has it, -P1DT2H30M, of what people write: -1d 2:30, +1:00, 0:00:10. Else the text itself. */
export function shiftIn(text: string): string {
  const plain = text.trim().replace('−', '-')
  const found = plain.match(/^([+-]?)\s*(?:(\d{1,5})\s*[dt])?\s*(?:(\d{1,5}):(\d{2})(?::(\d{2}))?)?$/i)
  const [, sign = '', days, hours, minutes = '0', seconds = '0'] = found ?? []
  if (!days && !hours) return text
  const time = hours ? `T${Number(hours)}H${Number(minutes)}M${Number(seconds)}S` : ''
  return `${sign === '-' ? '-' : ''}P${days ? `${days}D` : ''}${time}`
}

/** A duration of the interface backwards. */
export const shiftBack = (shift: string) =>
  shift.startsWith('-') ? shift.slice(1) : `-${shift.replace('+', '')}`

/**
 * The changes of an asset as people read them: those of the local time and of its offset stand for the instant, which
 * follows from them.
 */
export const isFollowing = (name: string, all: readonly string[]) =>
  name === 'capture_date' && (all.includes('capture_local_time') || all.includes('capture_utc_offset'))

/** A capture date among changes as a local time; one from before offsets were kept has none, and its clock is as if in UTC. */
export const localOf = (time: string) => time.replace(/Z$/, '')

/** The names of changes that are local times. */
export const localTimes: readonly string[] = ['capture_date', 'capture_local_time']
