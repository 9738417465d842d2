import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Builds the server that the tests start, with the committed build of the application in it. */
export default function build() {
  if (process.env.DAL_BINARY) return
  const root = join(import.meta.dirname, '../../..')
  const binary = join(root, 'web/ui/node_modules/.dal-test')
  execFileSync('go', ['build', '-o', binary, '.'], {
    cwd: root,
    env: { ...process.env, CGO_ENABLED: '0' },
    stdio: 'inherit',
  })
  process.env.DAL_BINARY = binary
}
