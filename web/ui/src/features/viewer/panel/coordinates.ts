/** Coordinates in decimal degrees, in the notation of map services: latitude, longitude. */
export function writeCoordinates(latitude: number, longitude: number): string {
  const round = (n: number) => String(Math.round(n * 1e6) / 1e6)
  return `${round(latitude)}, ${round(longitude)}`
}

/**
 * Parses coordinates in decimal degrees, or in degrees, minutes and seconds with N, S, E and W (or O, for Ost).
 * Invalid text yields values out of range, which the server reports at the field.
 */
export function readCoordinates(text: string): { latitude: number; longitude: number } {
  const [latitude, longitude, more] = split(text.trim())
  if (latitude === undefined || longitude === undefined || more !== undefined) return unreadable
  return { latitude: readAngle(latitude), longitude: readAngle(longitude) }
}

const beyond = 999
const unreadable = { latitude: beyond, longitude: beyond }

function split(text: string): string[] {
  for (const by of [/\s*;\s*/, /(?<=[NS])[\s,]*/i, /\s*,\s+/, /\s*,\s*/, /\s+/]) {
    const parts = text.split(by).filter(Boolean)
    if (parts.length === 2) return parts
  }
  return [text]
}

function readAngle(text: string): number {
  const numbers =
    text
      .replace(',', '.')
      .match(/\d+(\.\d+)?/g)
      ?.map(Number) ?? []
  if (numbers.length === 0 || numbers.length > 3 || /[^\d\s.,+−\-°′'’″"”NSEWO]/i.test(text)) return beyond
  const [degrees = 0, minutes = 0, seconds = 0] = numbers
  const value = degrees + minutes / 60 + seconds / 3600
  return /[SW−-]/i.test(text) ? -value : value
}
