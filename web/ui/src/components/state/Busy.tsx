import css from './State.module.css'

/** Shows that something is loading. */
export function Busy({ label }: { label: string }) {
  return (
    <div role="status" className={css.wait}>
      {label}
    </div>
  )
}
