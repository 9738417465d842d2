import { Choices } from '~/components/field/Choices'
import { useTexts } from '~/text/context'
import type { Role } from './queries'
import { texts } from './texts'

interface RoleFieldProps {
  value: Role
  onChange: (role: Role) => void
  errors?: string[]
}

/** A role with its explanation. */
export function RoleField(props: RoleFieldProps) {
  const t = useTexts(texts)
  const choices = (['viewer', 'editor', 'admin'] as const).map(id => ({
    id,
    text: t.roles[id],
    help: t.roleHelp[id],
  }))
  return <Choices label={t.role} choices={choices} {...props} />
}
