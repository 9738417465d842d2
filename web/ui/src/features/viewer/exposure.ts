/** A file's EXIF data, with the names of exiftool. */
export type ExifFacts = Record<string, unknown>

/** A number in EXIF: a rational is a fraction. */
function numberOf(value: unknown): number | null {
  const first = Array.isArray(value) ? value[0] : value
  const [over, under = '1'] = String(first ?? '').split('/')
  const n = Number(over) / Number(under)
  return over !== '' && Number.isFinite(n) && n > 0 ? n : null
}

const company =
  /\b(corporation|corp|company|co|ltd|inc|gmbh|ag|imaging|optical|eastman|electronics|electric|camera|photo|digital|computer)\b\.?,?/gi

/** The common name of a maker: "NIKON CORPORATION" is Nikon. */
function makerOf(make: string): string {
  const name =
    make
      .replace(company, '')
      .replace(/[\s,.]+/g, ' ')
      .trim() || make.trim()
  return name.length > 3 && name === name.toUpperCase()
    ? name.toLowerCase().replace(/(^|[\s-])\p{L}/gu, letter => letter.toUpperCase())
    : name
}

/** A camera's maker and model, without repeating the maker. */
function cameraOf(exif: ExifFacts): string {
  const model = String(exif.Model ?? '').trim()
  const maker = makerOf(String(exif.Make ?? ''))
  const first = maker.split(' ')[0]?.toLowerCase() ?? ''
  if (first && model.toLowerCase().startsWith(first)) return maker + model.slice(maker.length)
  return [maker, model].filter(Boolean).join(' ')
}

/** An exposure time in photographers' notation: 1/75, 0.5 or 2. */
function shutterOf(seconds: number, format: (n: number) => string): string {
  if (seconds >= 0.3) return format(Math.round(seconds * 10) / 10)
  return `1/${Math.round(1 / seconds)}`
}

/**
 * Camera, focal length, aperture, exposure time and sensitivity, as far as known: "Nikon COOLPIX P6000 · 24 mm ·
 * f/5.9 · 1/75 s · ISO 64". Empty if none is known.
 */
export function exposureOf(exif: ExifFacts, format: (n: number) => string): string {
  const focal = numberOf(exif.FocalLength)
  const aperture = numberOf(exif.FNumber)
  const seconds = numberOf(exif.ExposureTime)
  const iso = numberOf(exif.ISO)
  const short = (n: number) => format(Math.round(n * 10) / 10)
  return [
    cameraOf(exif),
    focal && `${short(focal)} mm`,
    aperture && `f/${short(aperture)}`,
    seconds && `${shutterOf(seconds, format)} s`,
    iso && `ISO ${iso}`,
  ]
    .filter(Boolean)
    .join(' · ')
}

/** The name of the lens; empty if unknown. */
export function lensOf(exif: ExifFacts): string {
  const lens = String(exif.LensModel ?? '').trim()
  return /^[-\s]*$/.test(lens) ? '' : lens
}

/** The raw EXIF values that exposureOf and lensOf use. */
export function rawExposure(exif: ExifFacts): [string, string][] {
  const names = [
    'Make',
    'Model',
    'LensModel',
    'FocalLength',
    'FocalLengthIn35mmFormat',
    'FNumber',
    'ExposureTime',
    'ISO',
  ]
  return names.flatMap(name => {
    const value = exif[name]
    return value === undefined || value === null ? [] : [[name, String(value)] as [string, string]]
  })
}
