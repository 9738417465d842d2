import { Fragment, type ReactNode } from 'react'
import css from './Facts.module.css'

/** A list of names and values; empty values are omitted. */
export function Facts({ list }: { list: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={css.facts}>
      {list.map(
        ([name, value]) =>
          value !== null &&
          value !== undefined &&
          value !== '' &&
          value !== false && (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}
