import { Camera, File, FolderUp, SlidersHorizontal, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '~/components/button/Button'
import { Menu, MenuItem, MenuLine } from '~/components/menu/Menu'
import { useTexts } from '~/text/context'
import { useAddFiles, useMayUpload } from './context'
import { picked } from './files'
import { SettingsDialog } from './Settings'
import { texts } from './texts'

const touch = window.matchMedia('(pointer: coarse)')

/** Picks files or a folder to upload, or takes a picture. */
export function UploadButton() {
  const t = useTexts(texts)
  const uploads = useAddFiles()
  const may = useMayUpload()
  const [setting, setSetting] = useState(false)
  const files = useRef<HTMLInputElement>(null)
  const folder = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  if (!may) return null
  const input = {
    type: 'file',
    hidden: true,
    onChange: (e: React.ChangeEvent<HTMLInputElement>) => take(e.target),
  }
  const take = (from: HTMLInputElement) => {
    void uploads.add(picked(from.files))
    from.value = '' // the same can be picked again
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
        {touch.matches && (
          <MenuItem icon={<Camera />} onAction={() => camera.current?.click()}>
            {t.camera}
          </MenuItem>
        )}
        <MenuLine />
        <MenuItem icon={<SlidersHorizontal />} onAction={() => setSetting(true)}>
          {t.settings}
        </MenuItem>
      </Menu>
      <input ref={files} {...input} multiple aria-label={t.files} />
      <input ref={folder} {...input} multiple aria-label={t.folder} {...{ webkitdirectory: '' }} />
      <input ref={camera} {...input} accept="image/*" capture="environment" aria-label={t.camera} />
      {setting && <SettingsDialog onClose={() => setSetting(false)} />}
    </>
  )
}
