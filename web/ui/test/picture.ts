import { crc32, deflateSync } from 'node:zlib'

/** A PNG of a gradient between two colours that the seed gives; two seeds look different to a perceptual hash too. */
export function picture(seed: number, width: number, height: number): Buffer {
  const rows = Buffer.alloc(height * (1 + 3 * width))
  const angle = seed * 2.399963 // the golden angle spreads the hues
  const wave = 2 + (seed % 7)
  for (let y = 0; y < height; y++) {
    const at = y * (1 + 3 * width)
    for (let x = 0; x < width; x++) {
      const u = x / width
      const v = y / height
      const light = 0.6 + 0.4 * Math.sin(wave * (u * Math.cos(angle) + v * Math.sin(angle)) * Math.PI)
      for (let c = 0; c < 3; c++) {
        const hue = 0.5 + 0.5 * Math.cos(angle + u + (c * 2 * Math.PI) / 3)
        rows[at + 1 + 3 * x + c] = Math.round(255 * hue * light)
      }
    }
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2, 0, 0, 0], 8) // 8 bits, RGB
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}
