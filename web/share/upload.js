// Sends the files of the form in pieces, by tus 1.0, and shows what became of them. Without it
// the form sends them itself.
'use strict'
;(() => {
  const form = document.getElementById('hand-in')
  const input = document.getElementById('file')
  const status = document.getElementById('status')
  const sending = document.getElementById('sending')
  const mine = document.getElementById('files')
  const none = document.getElementById('none')
  const { root } = form.dataset
  const texts = JSON.parse(form.dataset.texts)
  const piece = 32 * 1024 * 1024 // bytes in a request
  const atOnce = 3
  const attempts = 10 // without a byte in between
  const tus = { 'Tus-Resumable': '1.0.0' }

  let queue = []
  let running = 0
  let total = 0
  let sent = 0
  let refused = 0
  let before = { all: 0, refused: 0 } // files that had been checked when the first of these was chosen
  let checked = null // the same of these, once all of them have been
  let timer = 0

  const pause = seconds => new Promise(done => setTimeout(done, seconds * 1000))
  const base64 = text => btoa(String.fromCharCode(...new TextEncoder().encode(text)))
  const keyOf = file => `${file.name}|${file.size}|${file.lastModified}`.slice(0, 1000)

  class Stop extends Error {} // it makes no sense to try again

  function make(name, className, text) {
    const element = document.createElement(name)
    element.className = className
    element.textContent = text
    return element
  }

  function button(text, name, onClick) {
    const element = make('button', '', text)
    element.type = 'button'
    element.setAttribute('aria-label', `${text}: ${name}`)
    element.addEventListener('click', onClick)
    return element
  }

  /** What the server says is wrong. */
  async function messageOf(response) {
    const body = await response.json().catch(() => ({}))
    return body.message ?? texts.failed
  }

  /** The row of a file that is being sent. */
  function rowOf(file) {
    const row = make('li', '', '')
    const bar = document.createElement('progress')
    bar.max = 100
    bar.value = 0
    bar.setAttribute('aria-label', file.name)
    const state = make('span', 'state', texts.waiting)
    row.append(make('span', 'file', file.name), state, bar)
    sending.append(row)
    sending.hidden = false
    const job = { file, row, bar, state, url: '', isCancelled: false, request: null }
    job.cancel = button(texts.cancel, file.name, () => cancel(job))
    row.append(job.cancel)
    return job
  }

  function cancel(job) {
    job.isCancelled = true
    queue = queue.filter(other => other !== job)
    job.request?.abort()
    job.row.remove()
    sending.hidden = sending.children.length === 0
    total -= 1
    if (job.url) fetch(job.url, { method: 'DELETE', headers: tus }).catch(() => {})
    report()
    input.focus()
  }

  let turn = Promise.resolve()

  /** Runs fn after those before it: of too many files, the server takes the first. */
  function inTurn(fn) {
    const own = turn.then(fn)
    turn = own.catch(() => {})
    return own
  }

  async function begin(job, known) {
    const { file } = job
    const before = known.get(keyOf(file))
    if (before) {
      known.delete(keyOf(file))
      job.url = before
      return
    }
    const response = await fetch(`${root}/tus/`, {
      method: 'POST',
      headers: {
        ...tus,
        'Upload-Length': String(file.size),
        'Upload-Metadata': `filename ${base64(file.name)},key ${base64(keyOf(file))}`,
      },
    })
    if (response.status >= 500 || response.status === 429) throw new Error(await messageOf(response))
    if (!response.ok) throw new Stop(await messageOf(response))
    job.url = response.headers.get('Location')
  }

  /** How far the server is. */
  async function offsetOf(job) {
    const response = await fetch(job.url, { method: 'HEAD', headers: tus, cache: 'no-store' })
    if (response.status === 404 || response.status === 410) {
      job.url = '' // it was given up: from the beginning
      throw new Error(texts.broken)
    }
    if (response.status === 403) throw new Stop(texts.gone)
    if (!response.ok) throw new Error(texts.broken)
    return Number(response.headers.get('Upload-Offset'))
  }

  function show(job, bytes) {
    const percent = Math.floor((bytes / job.file.size) * 100)
    job.bar.value = percent
    job.state.textContent = texts.sending.replace('%d', percent)
  }

  /** Sends a piece; XMLHttpRequest tells how far it is. */
  function patch(job, offset) {
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest()
      job.request = request
      request.open('PATCH', job.url)
      request.setRequestHeader('Tus-Resumable', '1.0.0')
      request.setRequestHeader('Upload-Offset', String(offset))
      request.setRequestHeader('Content-Type', 'application/offset+octet-stream')
      request.upload.onprogress = event => show(job, offset + event.loaded)
      request.onload = () => {
        if (request.status === 204) {
          resolve(Number(request.getResponseHeader('Upload-Offset')))
          return
        }
        reject(new Error(texts.broken)) // what is wrong, offsetOf finds out
      }
      request.onerror = () => reject(new Error(texts.broken))
      request.onabort = () => reject(new Stop(texts.failed))
      request.send(job.file.slice(offset, offset + piece))
    })
  }

  async function send(job, known) {
    let tries = 0
    let lost = 0
    for (;;) {
      let moved = false
      try {
        if (!job.url) await inTurn(() => begin(job, known))
        let offset = await offsetOf(job)
        while (offset < job.file.size && !job.isCancelled) {
          show(job, offset)
          const next = await patch(job, offset)
          moved = next > offset
          offset = next
        }
        return
      } catch (error) {
        if (job.isCancelled || error instanceof Stop) throw error
        if (!job.url && ++lost > 2) throw new Stop(texts.gone)
        tries = moved ? 0 : tries + 1
        if (tries >= attempts) throw new Stop(texts.failed)
        job.state.textContent = texts.broken
        await pause(Math.min(2 ** tries, 30) / 2)
      }
    }
  }

  function fail(job, message) {
    refused += 1
    job.row.dataset.state = 'refused'
    job.state.textContent = message
    job.bar.remove()
    job.cancel.replaceWith(
      button(texts.remove, job.file.name, () => {
        job.row.remove()
        sending.hidden = sending.children.length === 0
        input.focus()
      }),
    )
  }

  async function work(known) {
    running += 1
    for (let job = queue.shift(); job; job = queue.shift()) {
      try {
        await send(job, known)
        if (job.isCancelled) continue
        sent += 1
        job.row.remove()
        sending.hidden = sending.children.length === 0
        refresh()
      } catch (error) {
        if (!job.isCancelled) fail(job, error instanceof Stop ? error.message : texts.failed)
      }
      report()
    }
    running -= 1
    if (running === 0) await finish()
  }

  function report() {
    const parts = []
    if (checked) {
      const { all, refused: bad } = checked
      parts.push(bad > 0 ? texts.refused.replace('%1', bad).replace('%2', all) : texts.accepted)
    } else if (total > 0) {
      parts.push(sent === total ? texts.all : texts.progress.replace('%1', sent).replace('%2', total))
    }
    if (refused > 0) parts.push(texts.some.replace('%d', refused))
    status.textContent = parts.join(' ')
  }

  async function finish() {
    if (sent > 0) await fetch(`${root}/done`, { method: 'POST' }).catch(() => {})
    refresh()
  }

  /** Shows what the server has of this guest, again and again until it is checked. */
  async function refresh() {
    clearTimeout(timer)
    const response = await fetch(`${root}/files`, { cache: 'no-store' }).catch(() => null)
    if (response?.ok) {
      const { files } = await response.json()
      const active = running > 0
      const shown = files.filter(file => !(active && file.state === 'unfinished'))
      mine.replaceChildren(...shown.map(rowOfFile))
      mine.hidden = shown.length === 0
      none.hidden = shown.length > 0
      if (!shown.some(file => file.state === 'received' || file.state === 'checking')) {
        const now = checkedOf(files)
        if (sent > 0 && !active) {
          checked = { all: now.all - before.all, refused: now.refused - before.refused }
          report()
        }
        return
      }
    } else if (response && response.status < 500) return
    timer = setTimeout(refresh, 2000)
  }

  function checkedOf(files) {
    const refused = files.filter(file => file.state === 'refused').length
    return { all: files.filter(file => file.state === 'accepted').length + refused, refused }
  }

  function rowOfFile(file) {
    const row = make('li', '', '')
    row.dataset.state = file.state
    row.append(make('span', 'file', file.name), make('span', 'note', file.size), make('span', 'state', file.text))
    if (file.upload) {
      row.append(
        button(texts.remove, file.name, async () => {
          await fetch(file.upload, { method: 'DELETE', headers: tus }).catch(() => {})
          await refresh()
          input.focus()
        }),
      )
    }
    return row
  }

  form.addEventListener('submit', async event => {
    event.preventDefault()
    const files = [...input.files]
    if (files.length === 0) {
      status.textContent = texts.choose
      return
    }
    if (running === 0) {
      total = 0
      sent = 0
      refused = 0
      checked = null
    }
    document.getElementById('fault')?.remove()
    input.removeAttribute('aria-describedby')
    total += files.length
    form.reset()
    const jobs = files.map(rowOf)
    report()
    const known = new Map()
    const response = await fetch(`${root}/files`, { cache: 'no-store' }).catch(() => null)
    if (response?.ok && running === 0) {
      const { files } = await response.json()
      before = checkedOf(files)
      for (const file of files) if (file.key) known.set(file.key, file.upload)
    }
    queue.push(...jobs.filter(job => !job.isCancelled))
    while (running < atOnce && queue.length > 0) work(known)
  })

  for (const name of ['dragenter', 'dragover']) {
    form.addEventListener(name, event => {
      event.preventDefault()
      form.classList.add('over')
    })
  }
  for (const name of ['dragleave', 'drop']) form.addEventListener(name, () => form.classList.remove('over'))
  form.addEventListener('drop', event => {
    event.preventDefault()
    if (event.dataTransfer.files.length > 0) input.files = event.dataTransfer.files
  })
  addEventListener('beforeunload', event => {
    if (running > 0) event.preventDefault()
  })
  refresh()
})()
