import { BookA, MoreVertical, Plus } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { Button, IconButton } from '~/components/button/Button'
import { ConfirmDialog } from '~/components/dialog/ConfirmDialog'
import { Menu, MenuItem } from '~/components/menu/Menu'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { useFormat, useTexts } from '~/text/context'
import css from './Definitions.module.css'
import { useChangeVocabularies, useVocabularies, type Vocabulary } from './definitions'
import { texts } from './texts'
import { VocabularyDialog } from './VocabularyDialog'

type Doing = { what: 'edit' | 'remove'; vocabulary: Vocabulary } | { what: 'create' }

/** The vocabularies; each has a page with its terms. */
export function VocabularyList() {
  const t = useTexts(texts)
  const format = useFormat()
  const vocabularies = useVocabularies()
  const { remove } = useChangeVocabularies()
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  return (
    <>
      <div className={css.head}>
        <h1>{t.vocabularies}</h1>
        <Button look="primary" onPress={() => setDoing({ what: 'create' })}>
          <Plus /> {t.newVocabulary}
        </Button>
      </div>
      <p className={css.help}>{t.vocabulariesHelp}</p>
      {vocabularies.error && <Notice kind="danger">{vocabularies.error.message}</Notice>}
      {vocabularies.isPending && <Busy label={t.loading} />}
      {vocabularies.data?.length === 0 && (
        <Empty icon={<BookA />} title={t.noVocabularies}>
          <p>{t.noVocabulariesHelp}</p>
        </Empty>
      )}
      <ul className={css.list}>
        {vocabularies.data?.map(v => (
          <li key={v.id} className={css.item}>
            <span className={css.words}>
              <Link to={`/admin/vocabularies/${v.key}`} className={css.name}>
                {v.name}
              </Link>
              <span className={css.about}>
                {[format.plural(v.terms_count, t.oneTerm, t.otherTerms), v.description]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
            </span>
            <code className={css.key}>{v.key}</code>
            <Menu
              label={t.actionsOf(v.name)}
              button={
                <IconButton label={t.actionsOf(v.name)}>
                  <MoreVertical />
                </IconButton>
              }
            >
              <MenuItem href={`/admin/vocabularies/${v.key}`}>{t.terms}</MenuItem>
              <MenuItem onAction={() => setDoing({ what: 'edit', vocabulary: v })}>{t.edit}</MenuItem>
              <MenuItem danger onAction={() => setDoing({ what: 'remove', vocabulary: v })}>
                {t.removeQuestion}
              </MenuItem>
            </Menu>
          </li>
        ))}
      </ul>
      {doing && doing.what !== 'remove' && (
        <VocabularyDialog vocabulary={doing.what === 'edit' ? doing.vocabulary : null} onClose={close} />
      )}
      {doing?.what === 'remove' && (
        <ConfirmDialog
          title={t.removeVocabulary(doing.vocabulary.name)}
          action={t.remove}
          onClose={close}
          onConfirm={async () => {
            await remove.mutateAsync(doing.vocabulary.key)
            toast({ text: t.removed(doing.vocabulary.name) })
          }}
        >
          <p>{t.removeVocabularyHelp}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
