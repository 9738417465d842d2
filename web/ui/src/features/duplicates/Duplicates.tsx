import { useRef, useState } from 'react'
import { Button } from '~/components/button/Button'
import { Busy } from '~/components/state/Busy'
import { Empty } from '~/components/state/Empty'
import { Notice } from '~/components/state/Notice'
import { useKeys } from '~/features/keys/useKeys'
import { undoLast } from '~/features/triage/undo'
import { useTexts } from '~/text/context'
import { best, type Group } from './best'
import { Compare } from './Compare'
import css from './Duplicates.module.css'
import { type Choice, GroupCard } from './GroupCard'
import { groupKey, useDuplicates, useMerge } from './queries'
import { texts } from './texts'

/** The groups of near duplicates, one below the other; the keyboard moves between them. */
export function Duplicates() {
  const t = useTexts(texts)
  const found = useDuplicates()
  const merge = useMerge()
  const list = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map())
  const [pending, setPending] = useState<string | null>(null)
  const [comparing, setComparing] = useState<Group | null>(null)
  const groups = found.data?.pages.flatMap(p => p.data) ?? []

  const choiceOf = (g: Group) => choices.get(groupKey(g)) ?? { kept: best(g.assets), spared: new Set() }
  const choose = (g: Group, c: Choice) => setChoices(new Map(choices).set(groupKey(g), c))
  const goTo = (i: number) => {
    const to = Math.max(0, Math.min(groups.length - 1, i))
    setCurrent(to)
    const card = list.current?.children[to]
    if (card instanceof HTMLElement) {
      card.focus({ preventScroll: true })
      card.scrollIntoView({ block: 'nearest' })
    }
    if (to >= groups.length - 2 && found.hasNextPage) void found.fetchNextPage()
  }
  const run = async (g: Group) => {
    const { kept, spared } = choiceOf(g)
    const others = g.assets.map(a => a.gaid).filter(id => id !== kept && !spared.has(id))
    if (others.length === 0 || pending) return
    setPending(groupKey(g))
    const merged = await merge(g, kept, others)
    setPending(null)
    if (merged) list.current?.focus({ preventScroll: true })
  }
  const group = groups[Math.min(current, groups.length - 1)]
  useKeys({
    nextGroup: () => goTo(current + 1),
    previousGroup: () => goTo(current - 1),
    keep: key => {
      const asset = group?.assets[Number(key) - 1]
      if (group && asset) choose(group, { ...choiceOf(group), kept: asset.gaid })
    },
    compare: () => setComparing(group ?? null),
    merge: () => group && void run(group),
    undo: undoLast,
  })

  if (found.error) {
    return (
      <Notice kind="danger">
        {found.error.message} <Button onPress={() => void found.refetch()}>{t.retry}</Button>
      </Notice>
    )
  }
  if (!found.data) return <Busy label={t.looking} />
  if (groups.length === 0) {
    return (
      <Empty title={t.none}>
        <p>{t.noneHelp}</p>
      </Empty>
    )
  }
  return (
    <>
      <div ref={list} className={css.groups} tabIndex={-1}>
        {groups.map((g, i) => (
          <GroupCard
            key={groupKey(g)}
            group={g}
            number={i + 1}
            isCurrent={g === group}
            choice={choiceOf(g)}
            isPending={pending === groupKey(g)}
            onChoose={c => choose(g, c)}
            onCompare={() => setComparing(g)}
            onMerge={() => void run(g)}
            onFocus={() => setCurrent(i)}
          />
        ))}
      </div>
      {found.hasNextPage && (
        <Button isPending={found.isFetchingNextPage} onPress={() => void found.fetchNextPage()}>
          {t.more}
        </Button>
      )}
      {comparing && (
        <Compare
          group={comparing}
          choice={choiceOf(comparing)}
          onChoose={c => choose(comparing, c)}
          onClose={() => setComparing(null)}
        />
      )}
    </>
  )
}
