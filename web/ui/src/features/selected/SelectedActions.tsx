import { CircleDot, FileDown, FolderMinus, Pencil, Sparkles, Star, Tags } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { IconButton } from '~/components/button/Button'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { type LoadedList, selectedGaids } from '~/features/assets/list'
import { statuses } from '~/features/assets/statuses'
import { AddButton } from '~/features/collections/AddButton'
import { useCollection } from '~/features/collections/collections'
import { useSelection } from '~/features/selection/context'
import { useCan } from '~/features/session/rights'
import { ShareButton } from '~/features/shares/ShareButton'
import { useMayShare } from '~/features/shares/shares'
import { useTexts } from '~/text/context'
import { useAnalysis, useChange } from './bulk'
import { KeywordsDialog } from './KeywordsDialog'
import { useDownload, useLeave } from './moves'
import { ToTrash } from './ToTrash'
import { texts } from './texts'

const EditDialog = lazy(() => import('./EditDialog'))

const tasks = ['tags', 'caption', 'ocr'] as const
const ratings = [5, 4, 3, 2, 1, 0]

/** The actions for the selected assets of a list. */
export function SelectedActions({ list }: { list: LoadedList }) {
  const t = useTexts(texts)
  const selection = useSelection()
  const can = useCan()
  const mayShare = useMayShare()
  const { place } = list.source
  const [dialog, setDialog] = useState<'edit' | 'keywords' | null>(null)
  const change = useChange(list, selection)
  const analyse = useAnalysis(list, selection)
  const download = useDownload(list, selection)
  const props = { list, selection, onClose: () => setDialog(null) }
  return (
    <>
      {can('assets:write') && (
        <>
          <IconButton label={t.edit} word={t.edit} onPress={() => setDialog('edit')}>
            <Pencil />
          </IconButton>
          <IconButton label={t.keywords} word={t.keywords} onPress={() => setDialog('keywords')}>
            <Tags />
          </IconButton>
          <Menu
            label={t.rating}
            button={
              <IconButton label={t.rating} word={t.rating}>
                <Star />
              </IconButton>
            }
          >
            {ratings.map(n => (
              <MenuItem
                key={n}
                icon={<span aria-hidden>{'★'.repeat(n) + '☆'.repeat(5 - n)}</span>}
                onAction={() => void change({ rating: n || null })}
              >
                {t.stars(n)}
              </MenuItem>
            ))}
          </Menu>
          <Menu
            label={t.status}
            button={
              <IconButton label={t.status} word={t.status}>
                <CircleDot />
              </IconButton>
            }
          >
            {statuses.map(s => (
              <MenuItem key={s} onAction={() => void change({ workflow_status: s })}>
                {t.statuses[s]}
              </MenuItem>
            ))}
          </Menu>
          <Menu
            label={t.analyse}
            button={
              <IconButton label={t.analyse} word={t.analyse}>
                <Sparkles />
              </IconButton>
            }
          >
            {tasks.map(task => (
              <MenuItem key={task} onAction={() => void analyse(task)}>
                {t.tasks[task]}
              </MenuItem>
            ))}
          </Menu>
        </>
      )}
      {can('collections:write') && (
        <AddButton gaids={() => selectedGaids(list, selection)} onAdded={() => selection.clear()} />
      )}
      {can('collections:write') && typeof place === 'number' && <Leave list={list} collection={place} />}
      {can('assets:download') && (
        <IconButton label={t.zip} word={t.zipWord} onPress={() => void download()}>
          <FileDown />
        </IconButton>
      )}
      {mayShare && <ShareButton list={list} />}
      {can('assets:delete') && <ToTrash list={list} />}
      <Suspense>{dialog === 'edit' && <EditDialog {...props} />}</Suspense>
      {dialog === 'keywords' && <KeywordsDialog {...props} />}
    </>
  )
}

/** Removes the selection from a collection, unless it is a smart one. */
function Leave({ list, collection }: { list: LoadedList; collection: number }) {
  const t = useTexts(texts)
  const selection = useSelection()
  const { data } = useCollection(collection)
  const leave = useLeave(list, selection)
  if (!data || data.rules) return null
  return (
    <IconButton label={t.leave} word={t.leaveWord} onPress={() => void leave(collection)}>
      <FolderMinus />
    </IconButton>
  )
}
