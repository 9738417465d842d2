import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from '@playwright/test'

// A project for each file: a worker never goes on with the library of another file.
const files = readdirSync(join(import.meta.dirname, 'test')).filter(name => name.endsWith('.spec.ts'))

// The system's Chromium against real servers, each on a folder of its own. `npm test` builds the server first; DAL_BINARY
// names one that is built, CHROMIUM another browser.
export default defineConfig({
  testDir: 'test',
  projects: files.map(name => ({ name: name.replace('.spec.ts', ''), testMatch: `**/${name}` })),
  outputDir: 'node_modules/.test-results',
  globalSetup: './test/build.ts',
  fullyParallel: false, // the tests of a file share a server
  workers: 2,
  retries: 1, // of a browser on a busy machine; the report names what needed it
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list', { printSteps: false }]],
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    trace: 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
      ],
    },
  },
})
