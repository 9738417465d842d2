import { CircleHelp } from 'lucide-react'
import { Button, Dialog, DialogTrigger, Heading, Popover } from 'react-aria-components'
import menu from '~/components/menu/Menu.module.css'
import { useTexts } from '~/text/context'
import box from './Box.module.css'
import css from './Help.module.css'
import { texts } from './texts'

/** The syntax of the search box. */
export function Help() {
  const t = useTexts(texts)
  return (
    <DialogTrigger>
      <Button className={box.button} aria-label={t.help}>
        <CircleHelp />
      </Button>
      <Popover className={`${menu.popover} ${css.popover}`} placement="bottom end">
        <Dialog className={css.dialog}>
          <Heading slot="title" level={2} className={css.title}>
            {t.help}
          </Heading>
          <dl className={css.list}>
            {Object.entries(t.examples).map(([typed, finds]) => (
              <div key={typed}>
                <dt>
                  <code>{typed}</code>
                </dt>
                <dd>{finds}</dd>
              </div>
            ))}
          </dl>
          <p className={css.more}>{t.helpMore}</p>
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
