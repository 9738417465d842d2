import { Plus, Trash2 } from 'lucide-react'
import { Button, IconButton } from '~/components/button/Button'
import { Select } from '~/components/field/Select'
import { useTexts } from '~/text/context'
import css from './Builder.module.css'
import { RuleRow } from './RuleRow'
import { texts } from './texts'
import {
  countRules,
  deepest,
  type Group,
  isBare,
  mostRules,
  type Node,
  type NodeProps,
  newGroup,
  newRule,
  replaced,
} from './tree'
import { useFields } from './useFields'

interface BuilderProps {
  value: Group
  onChange: (group: Group) => void
  /** Errors of the server, by the path of the rule: filters.rules.0.value. */
  errors?: Record<string, string[]>
  /** The path prefix of the document. */
  path?: string
}

/** A visual editor for filter documents. */
export function Builder({ value, onChange, errors = {}, path = 'filters' }: BuilderProps) {
  const isFull = countRules(value) >= mostRules
  return (
    <div className={css.builder}>
      <GroupRows
        group={value}
        path={path}
        depth={1}
        number=""
        isFull={isFull}
        errors={errors}
        onChange={g => onChange(g as Group)}
      />
    </div>
  )
}

interface GroupProps extends NodeProps {
  group: Group
  depth: number
  /** No more rules can be added. */
  isFull: boolean
}

function GroupRows({ group, path, depth, number, isFull, errors, onChange }: GroupProps) {
  const t = useTexts(texts)
  const own = [
    ...(errors[path] ?? []),
    ...(errors[`${path}.rules`] ?? []),
    ...(errors[`${path}.operator`] ?? []),
  ]
  const bare = depth === 1 && isBare(group)
  return (
    <fieldset className={depth > 1 ? css.inner : css.group}>
      <legend className="visually-hidden">{number ? `${t.group} ${number}` : t.group}</legend>
      <div className={css.head}>
        <Select
          label={t.match}
          hideLabel
          choices={[
            { id: 'all', text: t.all },
            { id: 'any', text: t.any },
            { id: 'none', text: t.none },
          ]}
          value={group.not ? 'none' : group.any ? 'any' : 'all'}
          onChange={v => onChange({ ...group, any: v === 'any', not: v === 'none' })}
        />
        {depth > 1 && (
          <IconButton label={`${t.removeGroup} ${number}`} onPress={() => onChange(null)}>
            <Trash2 />
          </IconButton>
        )}
      </div>
      {own.length > 0 && !bare && (
        <p className={css.error} role="alert">
          {own.join(' ')}
        </p>
      )}
      {group.rules.length > 0 && (
        <ol className={css.rules}>
          {group.rules.map((n, i) => {
            const props = {
              path: bare ? path : `${path}.rules.${i}`,
              number: number ? `${number}.${i + 1}` : String(i + 1),
              errors,
              onChange: (by: Node | null) => onChange(replaced(group, n.id, by)),
            }
            return (
              <li key={n.id}>
                {n.kind === 'group' ? (
                  <GroupRows group={n} depth={depth + 1} isFull={isFull} {...props} />
                ) : (
                  <RuleRow rule={n} {...props} />
                )}
              </li>
            )
          })}
        </ol>
      )}
      <Add group={group} depth={depth} isFull={isFull} onChange={onChange} />
    </fieldset>
  )
}

function Add({
  group,
  depth,
  isFull,
  onChange,
}: Pick<GroupProps, 'group' | 'depth' | 'isFull' | 'onChange'>) {
  const t = useTexts(texts)
  const { field } = useFields()
  const add = (node: Node) => onChange({ ...group, rules: [...group.rules, node] })
  const rule = () => newRule(field('asset.keywords'))
  return (
    <div className={css.add}>
      <Button look="quiet" isDisabled={isFull} onPress={() => add(rule())}>
        <Plus /> {t.addRule}
      </Button>
      {depth < deepest && (
        <Button look="quiet" isDisabled={isFull} onPress={() => add(newGroup(!group.any, [rule()]))}>
          <Plus /> {t.addGroup}
        </Button>
      )}
    </div>
  )
}
