import { Notice } from '~/components/state/Notice'
import { useFormat, useTexts } from '~/text/context'
import css from './Definitions.module.css'
import type { FieldPlan } from './definitions'
import { texts } from './texts'

/** Whether a change loses something. */
export function loses(plan: FieldPlan) {
  return plan.losing_count > 0 || plan.collections.length > 0
}

/** The effect of a change to a field, in words. */
export function Plan({ plan }: { plan: FieldPlan }) {
  const t = useTexts(texts)
  const format = useFormat()
  if (!loses(plan)) return <Notice kind="info">{t.losesNothing}</Notice>
  return (
    <Notice kind="warning">
      <ul className={css.plan}>
        {plan.losing_count > 0 && (
          <li>
            {format.plural(plan.losing_count, t.oneLoses, t.otherLose)}
            {plan.example && ` ${t.example(plan.example)}`}
          </li>
        )}
        {plan.collections.length > 0 && <li>{t.breaks(plan.collections.map(c => c.name).join(', '))}</li>}
      </ul>
    </Notice>
  )
}
