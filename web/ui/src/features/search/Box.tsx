import { ArrowLeft, Search, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import {
  Autocomplete,
  Button,
  Collection,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  TextField,
} from 'react-aria-components'
import menu from '~/components/menu/Menu.module.css'
import { isNarrow } from '~/components/narrow'
import { useUser } from '~/features/session/session'
import { useFormat, useTexts } from '~/text/context'
import css from './Box.module.css'
import { Help } from './Help'
import { type Offer, type OfferGroup, useOffers } from './offers'
import { rememberSearch } from './recent'
import { texts } from './texts'
import { useBox } from './useBox'

/** The search box. It takes the focus each time it is invoked, and the text typed before it was loaded. */
export default function Box({ called, early }: { called: number; early: RefObject<string | null> }) {
  const t = useTexts(texts)
  const user = useUser()
  const box = useBox()
  const input = useRef<HTMLInputElement>(null)
  const before = useRef<Element | null>(null)
  const [isFocused, setFocused] = useState(false)
  const [isClosed, setClosed] = useState(false)
  const format = useFormat()
  const { groups, run } = useOffers(box, isFocused)
  const count = groups.reduce((n, g) => n + g.offers.length, 0)
  const isOpen = isFocused && !isClosed && count > 0
  const { type } = box
  const typeEarly = useRef(type)
  useEffect(() => {
    const text = early.current
    early.current = null
    if (text === null) return
    input.current?.focus()
    if (text) typeEarly.current(text)
  }, [early])
  useEffect(() => {
    if (called === 0 || document.activeElement === input.current) return
    before.current = document.activeElement
    input.current?.focus()
    input.current?.select()
  }, [called])
  const leave = () => {
    const back = before.current
    before.current = null
    if (back instanceof HTMLElement && back !== document.body && back.isConnected) back.focus()
    else document.getElementById('content')?.focus({ preventScroll: true })
  }
  const choose = (key: string) => {
    if (run(key)) leave()
  }
  const left = () => {
    setFocused(false)
    setClosed(false)
    if (box.left()) rememberSearch(user.id, box.text)
  }
  const search = () => {
    setClosed(true)
    rememberSearch(user.id, box.text)
    box.go(box.text.trim(), box.isHere ? 'here' : 'library')
  }
  return (
    <search className={css.box}>
      <Button className={css.back} aria-label={t.leave} onPress={leave}>
        <ArrowLeft />
      </Button>
      <Autocomplete
        inputValue={box.text}
        onInputChange={typed => {
          if (typed === box.text) return
          setClosed(false)
          box.type(typed)
        }}
        disableAutoFocusFirst
      >
        {/* biome-ignore lint/a11y/noStaticElementInteractions: sees the keys of the field before they choose */}
        <div
          className={css.field}
          onKeyDownCapture={e => {
            const onOffer = isOpen && input.current?.getAttribute('aria-activedescendant')
            if (e.key === 'Enter' && !onOffer) search()
            if (e.key === 'Escape') leave()
            if (e.key === 'ArrowDown' || e.key === 'ArrowUp') setClosed(false)
          }}
          onFocus={() => setFocused(true)}
          onBlur={e => {
            if (!e.currentTarget.contains(e.relatedTarget)) left()
          }}
        >
          <TextField aria-label={t.search} className={css.whole}>
            <Search className={css.icon} aria-hidden />
            <Input
              ref={input}
              className={css.input}
              placeholder={isNarrow() ? t.short : t.placeholder}
              maxLength={500}
              enterKeyHint="search"
              spellCheck={false}
              role="combobox"
              aria-haspopup="listbox"
              aria-expanded={isOpen}
              onPointerDown={() => setClosed(false)}
            />
          </TextField>
          {isOpen && (
            // biome-ignore lint/a11y/noStaticElementInteractions: a press on it leaves the focus in the field
            <div className={css.popover} onMouseDown={e => e.preventDefault()}>
              <ListBox<OfferGroup>
                aria-label={t.offers}
                className={css.list}
                items={groups}
                onAction={key => choose(String(key))}
              >
                {group => (
                  <ListBoxSection id={group.id}>
                    <Header className={css.head}>{group.title}</Header>
                    <Collection items={group.offers}>{offer => <OfferItem offer={offer} />}</Collection>
                  </ListBoxSection>
                )}
              </ListBox>
            </div>
          )}
          <span aria-live="polite" className="visually-hidden">
            {isOpen && t.offered(format.number(count), count === 1)}
          </span>
        </div>
      </Autocomplete>
      <span className={css.end}>
        {box.text && (
          <Button
            className={css.button}
            aria-label={t.clear}
            onPress={() => {
              box.setText('')
              if (box.asked) box.go('', 'here')
              input.current?.focus()
            }}
          >
            <X />
          </Button>
        )}
        <Help />
        <kbd className={css.key} aria-hidden>
          /
        </kbd>
      </span>
    </search>
  )
}

function OfferItem({ offer }: { offer: Offer }) {
  const format = useFormat()
  return (
    <ListBoxItem id={offer.id} textValue={offer.text} className={`${menu.item} ${css.item}`}>
      {offer.icon}
      <span className={css.text}>{offer.text}</span>
      {offer.count !== undefined && <span className={css.count}>{format.number(offer.count)}</span>}
    </ListBoxItem>
  )
}
