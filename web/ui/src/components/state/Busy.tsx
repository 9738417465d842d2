import css from './State.module.css'

/** Says that something is on its way. */
export function Busy({ label }: { label: string }) {
  return (
    <div role="status" className={css.wait}>
      {label}
    </div>
  )
}
