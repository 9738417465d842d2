import { crc32 } from 'node:zlib'
import { expect, expectAccessible, picture, test } from './kit'

const sidecar = (title: string) =>
  Buffer.from(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
      `<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt>` +
      `<rdf:li xml:lang="x-default">${title}</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`,
  )

const box = (kind: string, ...parts: Buffer[]) => {
  const content = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(content.length + 8)
  head.write(kind, 4)
  return Buffer.concat([head, content])
}
const described = (label: string) =>
  box(
    'jumd',
    Buffer.from('c2pa\0\x11\0\x10\x80\0\0\xaa\0\x38\x9b\x71\x03', 'latin1'),
    Buffer.from(`${label}\0`),
  )

/** A PNG with a manifest that says nothing. */
function signed() {
  const png = picture(7, 320, 240)
  const content = Buffer.concat([
    Buffer.from('caBX'),
    box('jumb', described('c2pa'), box('jumb', described('urn:c2pa:1'))),
  ])
  const chunk = Buffer.alloc(content.length + 8)
  chunk.writeUInt32BE(content.length - 4)
  content.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(content), content.length + 4)
  return Buffer.concat([png.subarray(0, -12), chunk, png.subarray(-12)])
}

test('tells what sidecars say otherwise, and of Content Credentials', async ({ page, as, library }) => {
  const [gaid] = await library.ingest({ name: 'boats.png', data: signed() })
  await library.api('PUT', `/assets/${gaid}`, { title: 'Mine' })
  await library.ingest(
    { name: 'boats.xmp', data: sidecar('Loose') },
    { name: 'boats.png.xmp', data: sidecar('Theirs') },
  )
  await as('editor')
  await page.goto(`/assets/${gaid}`)
  await page.getByRole('tab', { name: 'File' }).click()
  await expect(page.getByRole('heading', { name: 'Content Credentials' })).toBeVisible()
  await expect(page.getByText('dal does not verify the signature')).toBeVisible()
  await expect(page.getByText('There are several sidecars; boats.png.xmp is used.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Conflicting metadata' })).toBeVisible()
  await expect(page.getByText('keeps the value edited here')).toBeVisible()
  await expect(page.getByText('Theirs').first()).toBeVisible()
  await expectAccessible(page)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/sources.png` })
  await page.getByRole('button', { name: 'Download' }).click()
  const item = page.getByRole('menuitem', {
    name: 'Original with metadata (invalidates its Content Credentials)',
  })
  await expect(item).toBeVisible()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/menu.png` })
})

test('a field has its XMP property', async ({ page, as, expectErrors }) => {
  expectErrors(/ 422 /)
  await as('admin')
  await page.goto('/admin/fields')
  await page.getByRole('button', { name: 'New field' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Label').fill('Headline')
  await dialog.getByLabel('XMP property').fill('nobody:Knows')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog.getByText(/unknown prefix/)).toBeVisible()
  await dialog.getByLabel('XMP property').fill('photoshop:Headline')
  await expectAccessible(page)
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/field.png` })
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(dialog).toBeHidden()
})
