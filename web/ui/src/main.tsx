import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { mounted } from './api/mount'
import { App } from './app/App'
import './styles/base.css'

const root = document.getElementById('root')
if (!window.location.pathname.startsWith(mounted('/'))) {
  // The page was requested directly from dal, without the proxy in front.
  window.location.replace(mounted(window.location.pathname + window.location.search))
} else if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
