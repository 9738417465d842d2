import { execFileSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Received {
  type: string
  signature: string
  body: string
}

/** A program that webhooks are sent to, with a certificate of its own. */
export class Receiver {
  #folder = mkdtempSync(join(tmpdir(), 'dal-ui-receiver-'))
  #server: Server
  /** The file of its certificate. */
  certificate = join(this.#folder, 'certificate.pem')
  /** How it answers. */
  status = 204
  /** What it was sent, the latest one last. */
  received: Received[] = []

  constructor() {
    const key = join(this.#folder, 'key.pem')
    const name = ['-subj', '/CN=receiver', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '1']
    const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key]
    execFileSync('openssl', ['req', '-x509', ...made, '-out', this.certificate, ...name], { stdio: 'ignore' })
    const pair = { key: readFileSync(key), cert: readFileSync(this.certificate) }
    this.#server = createServer(pair, (request, answer) => {
      let body = ''
      request.on('data', part => {
        body += part
      })
      request.on('end', () => {
        const signature = String(request.headers['x-dal-signature'])
        this.received.push({ type: JSON.parse(body).type, signature, body })
        answer.writeHead(this.status).end(this.status === 204 ? '' : 'out of order')
      })
    })
  }

  async start() {
    await new Promise<void>(done => this.#server.listen(0, '127.0.0.1', done))
  }

  get url() {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`
  }

  /** Whether what came last was signed with a secret. */
  signedWith(secret: string): boolean {
    const { signature, body } = this.received.at(-1) ?? { signature: '', body: '' }
    const t = /t=(\d+)/.exec(signature)?.[1]
    return signature.includes(`v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`)
  }

  stop() {
    this.#server.closeAllConnections()
    this.#server.close()
    rmSync(this.#folder, { recursive: true })
  }
}
