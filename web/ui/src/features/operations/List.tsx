import { Activity } from 'lucide-react'
import { Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { useNavigate } from 'react-router'
import { Button, ButtonLink } from '~/components/button/Button'
import { Hint } from '~/components/button/Hint'
import { toast } from '~/components/toast/Toast'
import { useUser } from '~/features/session/session'
import { useFormat, useTexts } from '~/text/context'
import { Entry } from './Entry'
import css from './List.module.css'
import { texts } from './listTexts'
import { useEnded } from './pages'
import { isGoing, useOperations } from './queries'
import { useKind } from './useKind'

/** The latest operations, behind a button with the progress of the running one. Completions are announced. */
export function OperationsButton() {
  const t = useTexts(texts)
  const format = useFormat()
  const kind = useKind()
  const user = useUser()
  const navigate = useNavigate()
  const operations = useOperations()
  const first = operations.filter(isGoing).at(-1)
  useEnded(o => {
    if (o.created_by.id !== user.id) return
    toast({
      text: t.ended(kind(o.type), t.states[o.state] ?? o.state),
      action: { label: t.show, run: () => void navigate(`/operations/${o.id}`) },
    })
  })
  const label = first
    ? `${t.operations}: ${t.going(kind(first.type), format.number(first.progress.percent))}`
    : t.operations
  return (
    <DialogTrigger>
      <Hint text={label}>
        <Button look="quiet" aria-label={label} className={first ? css.active : css.idle}>
          <Activity />
          {first && <span>{format.number(first.progress.percent)} %</span>}
        </Button>
      </Hint>
      <Popover className={css.popover} placement="bottom end">
        <Dialog aria-label={t.operations} className={css.dialog}>
          {({ close }) => (
            <>
              <div className={css.head}>
                <h2>{t.operations}</h2>
                <ButtonLink look="quiet" href="/operations" onPress={close}>
                  {t.all}
                </ButtonLink>
              </div>
              {operations.length === 0 && <p>{t.noneHelp}</p>}
              <ul className={css.list}>
                {operations.map(o => (
                  <Entry key={o.id} operation={o} onOpen={close} />
                ))}
              </ul>
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
