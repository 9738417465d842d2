import { type ReactNode, useState } from 'react'
import { Form as AriaForm } from 'react-aria-components'
import { ApiError } from '~/api/client'
import { Notice } from '~/components/state/Notice'
import css from './Form.module.css'

interface FormProps {
  /** Submits the form; errors are displayed, at their fields where possible. */
  onSubmit: () => Promise<unknown>
  children: (state: { pending: boolean; errors: Record<string, string[]> }) => ReactNode
}

/** A form that displays the server's error messages. */
export function Form({ onSubmit, children }: FormProps) {
  const [pending, setPending] = useState(false)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const errors = failure?.fields ?? {}
  return (
    <AriaForm
      className={css.form}
      validationBehavior="aria" // a message of the server must not keep the form from being sent again
      onSubmit={async e => {
        e.preventDefault()
        if (pending) return
        setPending(true)
        setFailure(null)
        try {
          await onSubmit()
        } catch (err) {
          if (!(err instanceof ApiError)) throw err
          setFailure(err)
        } finally {
          setPending(false)
        }
      }}
    >
      {failure && Object.keys(errors).length === 0 && <Notice kind="danger">{failure.message}</Notice>}
      {children({ pending, errors })}
    </AriaForm>
  )
}
