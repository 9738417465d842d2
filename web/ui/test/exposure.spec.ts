import { expect, test } from '@playwright/test'
import { exposureOf, lensOf } from '../src/features/viewer/exposure'

const plain = (n: number) => String(n)

for (const [exif, text] of [
  [
    {
      Make: 'NIKON',
      Model: 'COOLPIX P6000',
      FocalLength: '24',
      FNumber: '59/10',
      ExposureTime: '4/300',
      ISO: 64,
    },
    'Nikon COOLPIX P6000 · 24 mm · f/5.9 · 1/75 s · ISO 64',
  ],
  [
    { Make: 'NIKON CORPORATION', Model: 'NIKON D850', FocalLength: '81/10', FNumber: '37/10', ISO: [100, 0] },
    'Nikon D850 · 8.1 mm · f/3.7 · ISO 100',
  ],
  [{ Make: 'Canon', Model: 'Canon EOS 5D', ExposureTime: '2' }, 'Canon EOS 5D · 2 s'],
  [{ Make: 'OLYMPUS IMAGING CORP.  ', Model: 'E-M1', ExposureTime: '1/2' }, 'Olympus E-M1 · 0.5 s'],
  [{ Make: 'EASTMAN KODAK COMPANY', Model: 'KODAK DC210' }, 'Kodak DC210'],
  [{ Make: 'LEICA CAMERA AG', Model: 'LEICA Q3' }, 'Leica Q3'],
  [{ Make: 'RICOH IMAGING COMPANY, LTD.  ', Model: 'PENTAX K-1' }, 'Ricoh PENTAX K-1'],
  [{ Make: 'Apple', Model: 'iPhone 15 Pro', ExposureTime: 0.0005 }, 'Apple iPhone 15 Pro · 1/2000 s'],
  [{ Make: 'LGE', Model: 'Nexus 5' }, 'LGE Nexus 5'],
  [{ Model: 'Scanner' }, 'Scanner'],
  [{ FNumber: '0/0', ExposureTime: '1/0', FocalLength: '', ISO: 0 }, ''],
  [{}, ''],
] as const)
  test(`exposure of ${JSON.stringify(exif)}`, () => expect(exposureOf(exif, plain)).toBe(text))

test('a lens of dashes is none', () => {
  expect(lensOf({ LensModel: '----' })).toBe('')
  expect(lensOf({ LensModel: 'EF 50mm f/1.4 ' })).toBe('EF 50mm f/1.4')
})
