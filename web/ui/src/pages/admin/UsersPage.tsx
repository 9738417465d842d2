import { usePageTitle } from '~/components/title'
import { Users } from '~/features/users/Users'
import { useTexts } from '~/text/context'
import { texts } from './texts'

export default function UsersPage() {
  usePageTitle(useTexts(texts).users)
  return <Users />
}
