/**
 * Converts typed UTC offsets, such as -8, +5:45, UTC+1 or Z, to the API's format, -08:00. Other texts are returned
 * unchanged.
 */
export function offsetIn(text: string): string {
  const plain = text.replace(/\s/g, '').replace('−', '-').toUpperCase()
  if (/^(Z|UTC|GMT)$/.test(plain)) return '+00:00'
  const [, sign, hours = '', minutes = '00'] =
    plain.match(/^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/) ?? []
  return sign ? `${sign}${hours.padStart(2, '0')}:${minutes}` : text
}

/**
 * Converts typed durations, such as -1d 2:30, +1:00 or 0:00:10, to the API's format, -P1DT2H30M. Other texts are
 * returned unchanged.
 */
export function shiftIn(text: string): string {
  const plain = text.trim().replace('−', '-')
  const found = plain.match(/^([+-]?)\s*(?:(\d{1,5})\s*[dt])?\s*(?:(\d{1,5}):(\d{2})(?::(\d{2}))?)?$/i)
  const [, sign = '', days, hours, minutes = '0', seconds = '0'] = found ?? []
  if (!days && !hours) return text
  const time = hours ? `T${Number(hours)}H${Number(minutes)}M${Number(seconds)}S` : ''
  return `${sign === '-' ? '-' : ''}P${days ? `${days}D` : ''}${time}`
}

/** A duration of the API with the opposite sign. */
export const shiftBack = (shift: string) =>
  shift.startsWith('-') ? shift.slice(1) : `-${shift.replace('+', '')}`

/**
 * Whether a change of an asset is implied by others: changes of the local time and its offset imply that of the
 * instant.
 */
export const isFollowing = (name: string, all: readonly string[]) =>
  name === 'capture_date' && (all.includes('capture_local_time') || all.includes('capture_utc_offset'))

/**
 * A capture date in a list of changes as a local time. Dates stored before offsets were introduced have none, and are
 * treated as UTC.
 */
export const localOf = (time: string) => time.replace(/Z$/, '')

/** The fields that contain local times. */
export const localTimes: readonly string[] = ['capture_date', 'capture_local_time']
