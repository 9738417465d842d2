import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { ListBox, ListBoxItem } from 'react-aria-components'
import { ApiError, api, data } from '~/api/client'
import { Button } from '~/components/button/Button'
import { TextField } from '~/components/field/TextField'
import css from '~/components/page.module.css'
import { Notice } from '~/components/state/Notice'
import { toast } from '~/components/toast/Toast'
import { TreeView } from '~/components/tree/TreeView'
import { useLazyTree } from '~/components/tree/useLazyTree'
import type { TreeTarget } from '~/components/tree/useTreeDrag'
import { useFormat, useTexts } from '~/text/context'
import own from './Definitions.module.css'
import { type Term, useChangeTerms } from './definitions'
import { TermDialogs, type TermDoing } from './TermDialogs'
import { TermMenu } from './TermMenu'
import { texts } from './texts'

const facts = (x: Term) => ({ id: String(x.id), name: x.label, hasChildren: x.children_count > 0 })
const number = (id: string) => (id === '' ? null : Number(id))

/** The terms of a vocabulary as a lazily loaded tree, with a search over all of them. */
export function TermTree({ vocabulary }: { vocabulary: string }) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  const [doing, setDoing] = useState<TermDoing | null>(null)
  const { move, update } = useChangeTerms(vocabulary)
  const read = useCallback(
    async (parent: string, page: number, signal: AbortSignal) => {
      const below = parent ? { parent_id: Number(parent) } : { top: true }
      const query = { ...below, page, per_page: 100 }
      const path = { vocabulary }
      const answer = await data(
        api.GET('/api/v1/metadata/vocabularies/{vocabulary}/terms', { params: { path, query }, signal }),
      )
      return { items: answer.data, isLast: answer.meta.current_page >= answer.meta.last_page }
    },
    [vocabulary],
  )
  const tree = useLazyTree({ queryKey: ['vocabularies', vocabulary, 'terms'], read, facts })
  const attempt = async (work: Promise<unknown>, said: string, undo?: () => Promise<unknown>) => {
    try {
      await work
      toast({ text: said, ...(undo ? { action: { label: t.undo, run: () => void undo() } } : {}) })
    } catch (e) {
      if (!(e instanceof ApiError)) throw e
      toast({ text: e.message })
    }
  }
  const put = (term: Term, parent: string, after: string) => {
    const id = String(term.id)
    const from = tree.parentOf(id)
    const at = tree.siblings(from).findIndex(n => n.id === id)
    const back = { parent_id: number(from), after: number(tree.siblings(from)[at - 1]?.id ?? '') }
    const body = { parent_id: number(parent), after: number(after) }
    const undo = () => move.mutateAsync({ id: term.id, body: back })
    void attempt(move.mutateAsync({ id: term.id, body }), t.moved(term.label), undo)
  }
  const onMove = (id: string, to: TreeTarget) => {
    const term = tree.node(id)?.value
    if (!term) return
    if ('into' in to) put(term, to.into, tree.siblings(to.into).at(-1)?.id ?? '')
    else put(term, to.parent, to.after)
  }
  const onActive = (term: Term) => {
    const set = (is_active: boolean) => update.mutateAsync({ id: term.id, body: { is_active } })
    const said = term.is_active ? t.deactivated(term.label) : t.activated(term.label)
    void attempt(set(!term.is_active), said, () => set(term.is_active))
  }
  const step = (term: Term, by: number) => {
    const id = String(term.id)
    const parent = tree.parentOf(id)
    const others = tree.siblings(parent)
    const at = others.findIndex(n => n.id === id)
    put(term, parent, others[by < 0 ? at - 2 : at + 1]?.id ?? '')
  }
  const menu = (term: Term) => (
    <TermMenu term={term} onDo={setDoing} onActive={() => onActive(term)} onStep={by => step(term, by)} />
  )
  return (
    <>
      <div className={own.tools}>
        <TextField label={t.findTerm} value={text} onChange={setText} type="search" />
        <Button look="primary" onPress={() => setDoing({ what: 'create', below: null })}>
          {t.newTerm}
        </Button>
      </div>
      {tree.error && <Notice kind="danger">{tree.error.message}</Notice>}
      <div className={own.terms}>
        {text.trim() ? (
          <Found vocabulary={vocabulary} text={text.trim()} onDo={setDoing} />
        ) : (
          <TreeView
            label={t.terms}
            tree={tree}
            onAction={id => {
              const term = tree.node(id)?.value
              if (term) setDoing({ what: 'edit', term })
            }}
            trail={term => (
              <>
                <code className={own.key}>{term.key}</code>
                {menu(term)}
              </>
            )}
            isFaint={term => !term.is_active}
            onMove={onMove}
            onKey={(key, id) => {
              const term = tree.node(id)?.value
              if (!term || (key !== 'F2' && key !== 'Delete')) return false
              setDoing({ what: key === 'F2' ? 'edit' : 'remove', term })
              return true
            }}
            empty={<span className={css.trail}>{t.noTerms}</span>}
          />
        )}
      </div>
      <TermDialogs vocabulary={vocabulary} doing={doing} onClose={() => setDoing(null)} />
    </>
  )
}

interface FoundProps {
  vocabulary: string
  text: string
  onDo: (doing: TermDoing) => void
}

/** The terms whose label or key contains a text. */
function Found({ vocabulary, text, onDo }: FoundProps) {
  const t = useTexts(texts)
  const format = useFormat()
  const found = useQuery({
    queryKey: ['vocabularies', vocabulary, 'found', text],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const params = { path: { vocabulary }, query: { q: text, per_page: 100 } }
      return data(api.GET('/api/v1/metadata/vocabularies/{vocabulary}/terms', { params, signal }))
    },
  })
  const more = (found.data?.meta.total ?? 0) - (found.data?.data.length ?? 0)
  return (
    <div className={own.found}>
      <ListBox
        aria-label={t.terms}
        items={found.data?.data ?? []}
        onAction={key => {
          const term = found.data?.data.find(x => x.id === key)
          if (term) onDo({ what: 'edit', term })
        }}
        renderEmptyState={() => <p className={own.none}>{found.isPending ? t.loading : t.noTermFound}</p>}
      >
        {term => (
          <ListBoxItem id={term.id} textValue={term.label} className={own.hit}>
            <span className={own.name}>{term.label}</span>
            <code className={own.key}>{term.key}</code>
          </ListBoxItem>
        )}
      </ListBox>
      {more > 0 && <p className={own.none}>{t.andMore(format.number(more))}</p>}
    </div>
  )
}
