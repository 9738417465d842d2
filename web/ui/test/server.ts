import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { picture } from './picture'

export type Role = 'admin' | 'editor' | 'viewer'
export const password = 'correct horse battery'
export const email = (role: Role) => `${role}@example.com`

/** A file to upload. */
export interface File {
  name: string
  data: Buffer
}

/** A `dal serve` on a folder of its own. */
export class Server {
  #process: ChildProcess | undefined
  #data = mkdtempSync(join(tmpdir(), 'dal-ui-'))
  #token = ''
  /** What it has written to its log. */
  log = ''
  /** Where it listens, without a slash at the end. */
  url = ''

  /** Starts it; started again it keeps its address. */
  async start(...flags: string[]) {
    const listen = this.url ? new URL(this.url).host : '127.0.0.1:0'
    // Tests are quicker than people.
    const limits = ['--rate-limit', '100000', '--session-rate-limit', '100000', '--tag-threshold', 'off']
    const args = ['serve', '--data', this.#data, '--listen', listen, ...limits, ...flags]
    const server = spawn(process.env.DAL_BINARY ?? 'dal', args, { stdio: ['ignore', 'ignore', 'pipe'] })
    this.#process = server
    this.log = ''
    this.url = await new Promise((ready, failed) => {
      server.stderr?.on('data', part => {
        this.log += part
        const found = this.log.match(/listens on (\S+)/)
        if (found?.[1]) ready(found[1].replace(/\/$/, ''))
      })
      server.on('exit', () => failed(new Error(`the server did not start: ${this.log}`)))
    })
  }

  /** Runs a command of dal on the server's folder and returns what it prints. */
  dal(args: string[], input = '') {
    return execFileSync(process.env.DAL_BINARY ?? 'dal', [...args, '--data', this.#data], {
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    }).trim()
  }

  /** Makes a person of each role; their password is `password`. */
  people(...roles: Role[]) {
    for (const role of roles) {
      const name = role[0]?.toUpperCase() + role.slice(1)
      const args = [
        'user',
        'create',
        '--email',
        email(role),
        '--name',
        name,
        '--role',
        role,
        '--password-stdin',
      ]
      this.dal(args, `${password}\n`)
    }
  }

  /** Calls the interface as an admin; fails unless the answer is a success. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it needs of an answer
  async api(method: string, path: string, body?: object | FormData): Promise<any> {
    if (!this.#token) {
      const args = ['token', 'create', '--user', email('admin'), '--name', 'test', '--all-abilities']
      this.#token = this.dal(args)
    }
    const json = body !== undefined && !(body instanceof FormData)
    const answer = await fetch(`${this.url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...(path === '/operations' ? { 'idempotency-key': crypto.randomUUID() } : {}),
      },
      body: json ? JSON.stringify(body) : body,
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? undefined : await answer.json()
  }

  /** Puts files into the library, waits until they are read, and returns their GAIDs in the same order. */
  async ingest(...files: File[]): Promise<string[]> {
    const batch = (await this.api('POST', '/upload-batches', {})).data.id
    const form = new FormData()
    for (const f of files) form.append('files[]', new Blob([new Uint8Array(f.data)]), f.name)
    await this.api('POST', `/upload-batches/${batch}/files`, form)
    await this.api('POST', `/upload-batches/${batch}/complete`)
    const ends = Date.now() + 25_000
    while ((await this.api('GET', `/upload-batches/${batch}`)).data.status === 'processing') {
      if (Date.now() > ends) throw new Error('the files were not read in time')
      await new Promise(again => setTimeout(again, 50))
    }
    const list = (await this.api('GET', `/upload-batches/${batch}/files?per_page=100`)).data
    return files.map(f => {
      const found = list.find((x: { filename: string }) => x.filename === f.name)
      if (!found?.gaid) throw new Error(`${f.name} is not in the library: ${JSON.stringify(found)}`)
      return found.gaid
    })
  }

  /** Puts `count` small pictures of several shapes into the library, `picture-1.png` first. */
  async pictures(count: number): Promise<string[]> {
    const shapes = [
      [320, 240],
      [240, 320],
      [480, 200],
      [300, 300],
    ] as const
    return await this.ingest(
      ...Array.from({ length: count }, (_, i) => {
        const [w, h] = shapes[i % shapes.length] ?? [320, 240]
        return { name: `picture-${i + 1}.png`, data: picture(i + 1, w, h) }
      }),
    )
  }

  async #ended(signal: 'SIGTERM' | 'SIGKILL') {
    const process = this.#process
    this.#process = undefined
    if (!process || process.exitCode !== null) return
    const ended = new Promise(done => process.on('exit', done))
    process.kill(signal)
    await ended
  }

  /** Ends it as a power cut would. */
  kill = () => this.#ended('SIGKILL')
  /** Ends it as a person would. */
  stop = () => this.#ended('SIGTERM')

  async remove() {
    await this.stop()
    rmSync(this.#data, { recursive: true })
  }
}
