import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { mounted } from './api/mount'
import { App } from './app/App'
import './styles/base.css'

const root = document.getElementById('root')
if (!window.location.pathname.startsWith(mounted('/'))) {
  // The page was asked for at dal's own address, without the proxy in front.
  window.location.replace(mounted(window.location.pathname + window.location.search))
} else if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
