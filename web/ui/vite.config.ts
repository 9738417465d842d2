import optimizeLocales from '@react-aria/optimize-locales-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev` finds the server. */
const served = process.env.DAL_PROXY ?? 'http://127.0.0.1:8080'

// The build is embedded in the binary and committed: same source, same bytes.
export default defineConfig(({ command }) => ({
  base: command === 'build' ? './' : '/', // the server says where the site is: see web/mount.go
  plugins: [react(), { ...optimizeLocales.vite({ locales: ['en-US', 'de-DE'] }), enforce: 'pre' }],
  build: {
    target: 'es2022',
    outDir: 'dist',
    assetsDir: 'static', // /assets/{gaid} is a page
    assetsInlineLimit: 0, // the Content-Security-Policy allows no data: scripts or styles
    modulePreload: { polyfill: false },
    cssCodeSplit: true,
    license: { fileName: 'licenses.json' }, // of what is in the build, for `dal licenses`
    chunkSizeWarningLimit: 700,
  },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  server: { proxy: { '/api': served, '/docs': served } },
}))
