// Shows the files of a gallery over it, each with what its own page has, and fills the rows of
// the gallery. Without it the gallery's links lead to those pages.
'use strict'
;(() => {
  const here = () => location.pathname + location.search
  const template = document.getElementById('viewer')
  if (!template) {
    // The page of a file. If the viewer was reloaded to it, browsers take the gallery that it
    // was opened over for the same document, and do not load it by themselves.
    const own = here()
    addEventListener('popstate', () => {
      if (here() !== own) location.reload()
    })
    return
  }

  const patience = 30_000 // milliseconds
  const narrowest = 0.6 // width by height in a row
  const widest = 3
  const swipe = 50 // pixels

  const dialog = document.importNode(template.content, true).querySelector('dialog')
  const part = selector => dialog.querySelector(selector)
  const sheet = part('.sheet')
  const number = part('[data-pattern]')
  const name = part('.unseen')
  const saved = part('.saved')
  const previous = part('.previous')
  const next = part('.next')
  const waiting = part('.waiting')
  const failed = part('.failed')
  const reason = part('.failed p')
  const { title } = document

  let home = here()
  let list // of the gallery
  let links = []
  let at = -1 // the index of the link that is shown
  let request = null // the latest one
  let again = () => {} // does anew what failed
  let isStale = false // whether the gallery lacks what the guest has said
  let ahead = [] // pictures of the neighbours, kept so that browsers keep them

  // The rows of the gallery.

  /** Gives the pictures of each row one height, with which they fill its width; the last row keeps the usual one. */
  function justify() {
    const style = getComputedStyle(list)
    const gap = Number.parseFloat(style.columnGap)
    const usual =
      Number.parseFloat(style.getPropertyValue('--row')) *
      Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
    const width = Math.floor(list.getBoundingClientRect().width)
    const heightOf = row => (width - gap * (row.length - 1)) / row.reduce((sum, { ratio }) => sum + ratio, 0)
    let row = []
    for (const item of [...list.children].map(element => ({ element, ratio: ratioOf(element) }))) {
      const more = [...row, item]
      if (row.length > 0 && usual / heightOf(more) > heightOf(row) / usual) {
        fill(row, heightOf(row))
        row = [item]
      } else row = more
    }
    if (row.length > 0) fill(row, Math.min(usual, heightOf(row)))
    list.classList.add('justified')
  }

  function fill(row, height) {
    let end = 0
    for (const { element, ratio } of row) {
      const start = Math.floor(end + 0.01) // what is summed up may be a little less
      end += ratio * height
      element.style.setProperty('--width', `${Math.floor(end + 0.01) - start}px`)
      element.style.setProperty('--height', `${Math.round(height)}px`)
    }
  }

  /** The width of a picture by its height: 1 where the server does not know it. */
  function ratioOf(element) {
    const width = Number(element.querySelector('img')?.getAttribute('width') ?? 0)
    if (width === 0) return 1
    const ratio = width / Number(element.querySelector('img').getAttribute('height'))
    return Math.min(Math.max(ratio, narrowest), widest)
  }

  const resized = new ResizeObserver(justify)

  /** Begins with the gallery that the page has now. */
  function begin() {
    list = document.querySelector('.gallery')
    links = list ? [...list.querySelectorAll('li > a')] : []
    resized.disconnect()
    if (!list) return
    justify()
    resized.observe(list)
  }

  // The viewer.

  /** The link to the page of the gallery before or after this one. */
  const pageLink = step => document.querySelector(`main > .pager [rel=${step > 0 ? 'next' : 'prev'}]`)

  function open(index) {
    history.pushState({ viewer: links[index].pathname }, '', links[index].pathname)
    dialog.showModal()
    sheet.focus()
    show(index)
  }

  function move(step) {
    if (links[at + step]) {
      const path = links[at + step].pathname
      history.replaceState({ viewer: path }, '', path)
      show(at + step)
    } else if (pageLink(step)) turn(pageLink(step), step)
  }

  /** Shows what the browser's address names, which is of a link of the gallery. */
  function show(index) {
    at = index
    const link = links[index]
    number.textContent = number.dataset.pattern
      .replace('%1', Number(list.dataset.before) + index + 1)
      .replace('%2', list.dataset.total)
    name.textContent = link.querySelector('.name').textContent
    saved.textContent = ''
    document.title = name.textContent
    previous.disabled = index === 0 && !pageLink(-1)
    next.disabled = index === links.length - 1 && !pageLink(1)
    put(sketchOf(link))
    load(here())
  }

  /** A file as far as the gallery knows it. */
  function sketchOf(link) {
    const sketch = document.createElement('article')
    sketch.className = 'asset'
    const heading = document.createElement('h1')
    heading.textContent = link.querySelector('.name').textContent
    sketch.append(heading)
    if (link.dataset.view) {
      const look = document.createElement('div')
      look.className = 'look'
      const figure = document.createElement('figure')
      figure.className = 'view'
      const picture = document.createElement('img')
      picture.alt = heading.textContent
      picture.src = link.dataset.view
      figure.append(picture)
      look.append(figure)
      sketch.append(look)
    }
    return sketch
  }

  /** Puts something on the sheet in place of what it has, whose sound ends. */
  function put(...content) {
    const { activeElement } = document
    const loses = sheet.contains(activeElement) || activeElement === document.body || activeElement.disabled
    for (const media of sheet.querySelectorAll('video, audio')) {
      media.removeAttribute('src')
      media.load()
    }
    sheet.replaceChildren(...content)
    if (loses) sheet.focus()
  }

  /** Fills the sheet with what the page of a file has. */
  async function load(path) {
    const page = await ask(path, '.asset', path, {}, () => load(path))
    if (!page) return
    put(document.importNode(page.querySelector('.asset'), true))
    sheet.scrollTop = 0
    preload()
  }

  /** Goes to another page of the gallery, and shows what is next there. */
  async function turn(link, step) {
    const page = await ask(link.href, '.gallery', link.href, {}, () => turn(link, step))
    if (!page) return
    for (const selector of ['.gallery', 'main > .pager']) {
      document.querySelector(selector).replaceWith(document.importNode(page.querySelector(selector), true))
    }
    home = link.pathname + link.search
    begin()
    at = step > 0 ? -1 : links.length
    move(step)
  }

  /** Sends what the guest says. */
  async function say(form, button) {
    const body = new URLSearchParams(new FormData(form))
    if (button?.name) body.append(button.name, button.value)
    const path = links[at].pathname
    isStale = true
    const page = await ask(form.action, '.asset', path, { method: 'POST', body }, () => say(form, button))
    if (!page) return
    const buttons = () => [...sheet.querySelectorAll('button')]
    const index = buttons().indexOf(button)
    put(document.importNode(page.querySelector('.asset'), true))
    const wrong = sheet.querySelector('[aria-describedby~=fault]')
    ;(wrong ?? buttons()[index] ?? sheet).focus()
    saved.textContent = wrong ? '' : saved.dataset.text
  }

  /**
   * Fetches a page of the share that has something. Otherwise it returns nothing: if another one was asked for
   * meanwhile, if there is something to try again, and if a guest has to see what the server says at an address.
   * What a guest says is sent in any case.
   */
  async function ask(url, selector, address, options, anew) {
    request?.abort()
    const own = new AbortController()
    request = own
    const timer = setTimeout(() => own.abort(), patience)
    failed.hidden = true
    waiting.hidden = false
    sheet.setAttribute('aria-busy', 'true')
    let said = null
    try {
      const signal = options.method ? AbortSignal.timeout(patience) : own.signal
      const response = await fetch(url, { ...options, signal })
      const page = new DOMParser().parseFromString(await response.text(), 'text/html')
      if (own !== request) return null
      if (page.querySelector(selector)) return page
      if (response.ok || response.status === 404) {
        location.replace(address)
        return null
      }
      said = page.querySelector('.door p')
    } catch {
      // No answer, or not in time.
    } finally {
      clearTimeout(timer)
      if (own === request) settle()
    }
    if (own === request) fail(said?.textContent, anew)
    return null
  }

  function settle() {
    waiting.hidden = true
    sheet.removeAttribute('aria-busy')
  }

  function fail(text, anew) {
    again = anew
    reason.textContent = text ?? reason.dataset.text
    failed.hidden = false
  }

  /** Fetches the pictures of the neighbours: they count for nothing, as their pages would. */
  function preload() {
    if (navigator.connection?.saveData) return
    const views = [links[at + 1], links[at - 1]].map(link => link?.dataset.view).filter(Boolean)
    ahead = views.map(view => ahead.find(picture => picture.getAttribute('src') === view) ?? pictureOf(view))
  }

  function pictureOf(address) {
    const picture = new Image()
    picture.src = address
    return picture
  }

  /** Goes back to the gallery, at what was shown last. */
  function leave() {
    if (here() !== home) history.replaceState(null, '', home)
    document.title = title
    links[at]?.focus()
    at = -1
    if (isStale) refresh()
  }

  /** Brings what the guest has said to the gallery. */
  async function refresh() {
    isStale = false
    const response = await fetch(home).catch(() => null)
    if (!response?.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    for (const form of list.querySelectorAll('.pick')) {
      const fresh = page.getElementById(form.parentElement.id)?.querySelector('.pick')
      if (fresh && fresh.outerHTML !== form.outerHTML) form.replaceWith(document.importNode(fresh, true))
    }
  }

  const isPlain = event =>
    event.button === 0 &&
    !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.defaultPrevented)

  begin()
  if (!dialog.showModal) return
  document.body.append(dialog)

  document.addEventListener('click', event => {
    const index = links.indexOf(event.target.closest('a'))
    if (index < 0 || !isPlain(event)) return
    event.preventDefault()
    open(index)
  })
  addEventListener('popstate', ({ state }) => {
    if (!state?.viewer) {
      if (dialog.open) dialog.close()
      else if (at >= 0) leave()
      return
    }
    const index = links.findIndex(link => link.pathname === state.viewer)
    if (index < 0) {
      location.reload()
      return
    }
    if (!dialog.open) dialog.showModal()
    show(index)
  })
  dialog.addEventListener('close', () => {
    request?.abort()
    request = null
    settle()
    put()
    if (history.state?.viewer) history.back()
    else leave()
  })
  previous.addEventListener('click', () => move(-1))
  next.addEventListener('click', () => move(1))
  part('.close').addEventListener('click', () => dialog.close())
  part('.failed button').addEventListener('click', () => {
    sheet.focus()
    again()
  })
  dialog.addEventListener('keydown', event => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!step || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    if (event.target.closest('input, textarea, video, audio')) return
    event.preventDefault()
    if (!(event.repeat && sheet.hasAttribute('aria-busy'))) move(step)
  })
  sheet.addEventListener('click', event => {
    const link = event.target.closest('.pager a')
    if (!link || !isPlain(event)) return
    event.preventDefault()
    history.replaceState(history.state, '', link.pathname + link.search)
    load(here())
  })
  sheet.addEventListener('submit', event => {
    event.preventDefault()
    say(event.target, event.submitter)
  })

  // A finger that goes sideways; with two, or on what is enlarged, it means something else.
  let start = null
  const isEnlarged = () => (visualViewport?.scale ?? 1) > 1.01
  visualViewport?.addEventListener('resize', () => dialog.classList.toggle('enlarged', isEnlarged()))
  sheet.addEventListener(
    'touchstart',
    event => {
      const isFree = event.touches.length === 1 && !isEnlarged()
      start = isFree && !event.target.closest('video, audio, input, textarea') ? event.touches[0] : null
    },
    { passive: true },
  )
  sheet.addEventListener('touchend', event => {
    if (!start) return
    const x = event.changedTouches[0].clientX - start.clientX
    const y = event.changedTouches[0].clientY - start.clientY
    start = null
    if (Math.abs(x) >= swipe && Math.abs(x) > 2 * Math.abs(y)) move(x < 0 ? 1 : -1)
  })
  sheet.addEventListener('touchcancel', () => {
    start = null
  })
})()
