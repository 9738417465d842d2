import { ChevronDown, ChevronRight, X } from 'lucide-react'
import { useRef, useState } from 'react'
import {
  Button,
  Dialog,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SearchField,
  Tag,
  TagGroup,
  TagList,
  Tree,
  TreeItem,
  TreeItemContent,
  TreeLoadMoreItem,
} from 'react-aria-components'
import field from '~/components/field/Field.module.css'
import menu from '~/components/menu/Menu.module.css'
import { useTexts } from '~/text/context'
import css from './Panel.module.css'
import { ConflictNote } from './Row'
import tree from './TermsField.module.css'
import { type Term, useTermNames, useTermPaths, useTermsBelow, useTermsLike } from './terms'
import { texts } from './texts'
import { useEditable } from './useEditable'

interface TermsFieldProps {
  label: string
  name: string
  help?: string
  vocabulary: number
  several: boolean
  /** Errors of the terms, in addition to those of saving. */
  errors?: string[]
  /** The keys of the chosen terms. */
  value: string[]
  onSave: (keys: string[], force?: boolean) => Promise<unknown>
}

/** Terms of a vocabulary, chosen from its tree or by searching it. */
export function TermsField({
  label,
  name,
  help,
  vocabulary,
  several,
  errors = [],
  value,
  onSave,
}: TermsFieldProps) {
  const t = useTexts(texts)
  const f = useEditable({ name, value, onSave })
  const wrong = [...errors, ...f.errors]
  const names = useTermNames(vocabulary, f.draft)
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const choose = (key: string) => {
    if (!several) setOpen(false)
    const without = f.draft.filter(k => k !== key)
    const next = without.length < f.draft.length ? without : several ? [...f.draft, key] : [key]
    void f.commit(next)
  }
  return (
    <div className={field.field} data-field={name}>
      <TagGroup onRemove={keys => void f.commit(f.draft.filter(k => !keys.has(k)))} className={css.tagGroup}>
        <Label className={field.label}>{label}</Label>
        <TagList className={css.tags} items={f.draft.map(id => ({ id, name: names.get(id) ?? id }))}>
          {item => (
            <Tag id={item.id} textValue={item.name} className={css.tag}>
              {item.name}
              <Button slot="remove" className={css.tagButton} aria-label={`${t.removeKeyword} ${item.name}`}>
                <X size={12} />
              </Button>
            </Tag>
          )}
        </TagList>
      </TagGroup>
      <Button
        ref={button}
        className={field.select}
        aria-label={`${t.choose}: ${label}`}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPress={() => setOpen(true)}
      >
        <span className={field.chosen}>{t.choose}</span>
        <ChevronDown size={16} aria-hidden />
      </Button>
      <Popover className={menu.popover} triggerRef={button} isOpen={isOpen} onOpenChange={setOpen}>
        <Dialog aria-label={label} className={tree.dialog}>
          <Terms label={label} vocabulary={vocabulary} chosen={new Set(f.draft)} onChoose={choose} />
        </Dialog>
      </Popover>
      {help && <span className={field.help}>{help}</span>}
      {wrong.length > 0 && (
        <span role="alert" className={field.error}>
          {wrong.join(' ')}
        </span>
      )}
      <ConflictNote conflict={f.conflict} theirs={value.join(', ')} />
    </div>
  )
}

/** The labels of terms. */
export function TermNames({ vocabulary, keys }: { vocabulary: number; keys: string[] }) {
  const names = useTermNames(vocabulary, keys)
  return <>{[...names.values()].join(', ')}</>
}

interface TermsProps {
  label: string
  vocabulary: number
  chosen: ReadonlySet<string>
  onChoose: (key: string) => void
}

function Terms(props: TermsProps) {
  const t = useTexts(texts)
  const [text, setText] = useState('')
  return (
    <>
      <SearchField
        aria-label={t.searchTerms}
        value={text}
        onChange={setText}
        autoFocus
        className={tree.search}
      >
        <Input placeholder={t.searchTerms} className={field.input} />
      </SearchField>
      {text.trim() ? <Found {...props} text={text.trim()} /> : <TermTree {...props} />}
    </>
  )
}

function Found({ label, vocabulary, chosen, onChoose, text }: TermsProps & { text: string }) {
  const t = useTexts(texts)
  const found = useTermsLike(vocabulary, text)
  const terms = (found.data ?? []).filter(term => term.is_active)
  const paths = useTermPaths(vocabulary, terms)
  return (
    <ListBox
      aria-label={label}
      className={tree.list}
      items={terms.map(term => ({ ...term, path: paths.get(term.id), on: chosen.has(term.key) }))}
      renderEmptyState={() => (found.isPending ? t.loading : t.noTerm)}
      onAction={id => onChoose(terms.find(term => term.id === id)?.key ?? '')}
    >
      {item => (
        <ListBoxItem id={item.id} textValue={item.label} className={menu.item}>
          <span className={tree.name} data-chosen={item.on || undefined}>
            {item.label}
            {item.path && <small>{item.path}</small>}
          </span>
          {item.on && <span aria-hidden>✓</span>}
        </ListBoxItem>
      )}
    </ListBox>
  )
}

function TermTree({ label, vocabulary, chosen, onChoose }: TermsProps) {
  const t = useTexts(texts)
  const top = useTermsBelow(vocabulary, null, true)
  const [expanded, setExpanded] = useState<ReadonlySet<number | string>>(new Set())
  const [keys] = useState(() => new Map<number, string>())
  return (
    <Tree
      aria-label={label}
      className={tree.list}
      expandedKeys={expanded}
      onExpandedChange={setExpanded}
      onAction={id => onChoose(keys.get(Number(id)) ?? '')}
      renderEmptyState={() => (top.isPending ? t.loading : t.noTerms)}
    >
      {(top.data ?? [])
        .filter(term => term.is_active)
        .map(term => (
          <Branch
            key={term.id}
            term={term}
            vocabulary={vocabulary}
            chosen={chosen}
            expanded={expanded}
            know={(id, key) => keys.set(id, key)}
          />
        ))}
    </Tree>
  )
}

interface BranchProps {
  term: Term
  vocabulary: number
  chosen: ReadonlySet<string>
  expanded: ReadonlySet<number | string>
  know: (id: number, key: string) => void
}

function Branch(props: BranchProps) {
  const t = useTexts(texts)
  const { term, vocabulary, chosen, expanded } = props
  const isExpanded = expanded.has(term.id)
  const below = useTermsBelow(vocabulary, term.id, isExpanded)
  props.know(term.id, term.key)
  const on = chosen.has(term.key)
  const children = (below.data ?? []).filter(c => c.is_active)
  const leaf = term.children_count === 0
  return (
    <TreeItem id={term.id} textValue={term.label} hasChildItems={!leaf} className={tree.item}>
      <TreeItemContent>
        {leaf ? (
          <span className={tree.gap} />
        ) : (
          <Button slot="chevron" className={tree.chevron} aria-label={t.unfold(term.label)}>
            <ChevronRight size={14} aria-hidden />
          </Button>
        )}
        <span className={tree.name} data-chosen={on || undefined}>
          {term.label}
        </span>
        {on && <span aria-hidden>✓</span>}
      </TreeItemContent>
      {isExpanded && children.map(c => <Branch key={c.id} {...props} term={c} />)}
      {/* In a collapsed item it tells react-aria that there are children. */}
      {!leaf && !(isExpanded && below.data) && <TreeLoadMoreItem isLoading>{t.loading}</TreeLoadMoreItem>}
    </TreeItem>
  )
}
