import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef } from 'react'
import { useSelection } from '~/features/selection/context'
import type { LoadedList } from './list'
import { namedList } from './named'
import { begin, type KeptPlace } from './place'

interface SelectedProps {
  list: LoadedList
  place: KeptPlace
  children: (list: LoadedList, place: KeptPlace) => ReactNode
}

/** The list, or only what is selected of it while that is asked for. */
export function Selected({ list, place, children }: SelectedProps) {
  const client = useQueryClient()
  const { shown } = useSelection()
  const own = useRef<KeptPlace>({ current: begin, keep: () => {} })
  const selected = useMemo(() => shown && namedList(client, list, shown), [client, list, shown])
  return selected ? children(selected, own.current) : children(list, place)
}
