import { File, FolderUp, Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '~/components/button/Button'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { useTexts } from '~/text/context'
import { useAddFiles } from './context'
import { picked } from './files'
import { texts } from './texts'

/** Picks files or a folder to upload. */
export function UploadButton() {
  const t = useTexts(texts)
  const uploads = useAddFiles()
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const take = (input: HTMLInputElement) => {
    const list = picked(input.files)
    input.value = ''
    if (list.length > 0) void uploads.add(list)
  }
  return (
    <>
      <Menu
        label={t.upload}
        button={
          <Button look="primary" aria-label={t.upload}>
            <Upload /> <span>{t.upload}</span>
          </Button>
        }
      >
        <MenuItem icon={<File />} onAction={() => files.current?.click()}>
          {t.files}
        </MenuItem>
        <MenuItem icon={<FolderUp />} onAction={() => folder.current?.click()}>
          {t.folder}
        </MenuItem>
      </Menu>
      <input
        ref={files}
        type="file"
        multiple
        hidden
        aria-label={t.files}
        onChange={e => take(e.currentTarget)}
      />
      <input
        ref={folder}
        type="file"
        multiple
        hidden
        aria-label={t.folder}
        {...{ webkitdirectory: '' }}
        onChange={e => take(e.currentTarget)}
      />
    </>
  )
}
