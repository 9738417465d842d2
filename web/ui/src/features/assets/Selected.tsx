import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useSelection } from '~/features/selection/context'
import type { LoadedList } from './list'
import { namedList } from './named'
import { begin, type KeptPlace } from './place'

interface SelectedProps {
  list: LoadedList
  place: KeptPlace
  children: (list: LoadedList, place: KeptPlace) => ReactNode
}

/** The list, or only its selected assets if requested. */
export function Selected({ list, place, children }: SelectedProps) {
  const client = useQueryClient()
  const { shown } = useSelection()
  const alone = useMemo(() => {
    const start: KeptPlace = { current: begin, keep: () => {} }
    return shown && { list: namedList(client, list, shown), place: start }
  }, [client, list, shown])
  return alone ? children(alone.list, alone.place) : children(list, place)
}
