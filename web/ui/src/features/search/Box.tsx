import { ArrowLeft, Search, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import {
  Button,
  Collection,
  ComboBox,
  Header,
  Input,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Popover,
} from 'react-aria-components'
import menu from '~/components/menu/Menu.module.css'
import { useUser } from '~/features/session/session'
import { useFormat, useTexts } from '~/text/context'
import css from './Box.module.css'
import { Help } from './Help'
import { type Offer, type OfferGroup, useOffers } from './offers'
import { rememberSearch } from './recent'
import { texts } from './texts'
import { useBox } from './useBox'

/** The box itself. It takes the focus each time that it is called, and the text that was typed before it was here. */
export default function Box({ called, early }: { called: number; early: RefObject<string | null> }) {
  const t = useTexts(texts)
  const user = useUser()
  const box = useBox()
  const input = useRef<HTMLInputElement>(null)
  const before = useRef<Element | null>(null)
  const [isFocused, setFocused] = useState(false)
  const { groups, run } = useOffers(box, isFocused)
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
  const search = () => {
    rememberSearch(user.id, box.text)
    box.go(box.text.trim(), box.isHere ? 'here' : 'library')
  }
  return (
    <search className={css.box}>
      <Button className={css.back} aria-label={t.leave} onPress={leave}>
        <ArrowLeft />
      </Button>
      <ComboBox
        className={css.field}
        aria-label={t.search}
        items={groups}
        selectedKey={null}
        onSelectionChange={key => key !== null && choose(String(key))}
        inputValue={box.text}
        onInputChange={typed => typed !== box.text && box.type(typed)}
        menuTrigger="focus"
        allowsCustomValue
        onFocus={() => setFocused(true)}
        onBlur={() => {
          setFocused(false)
          if (box.asked === box.text.trim()) rememberSearch(user.id, box.text)
          box.left()
        }}
        onKeyDown={e => {
          const onOffer = input.current?.getAttribute('aria-activedescendant')
          if (e.key === 'Enter' && !onOffer) search()
          if (e.key === 'Escape') leave()
        }}
      >
        <Search className={css.icon} aria-hidden />
        <Input
          ref={input}
          className={css.input}
          placeholder={t.placeholder}
          maxLength={500}
          enterKeyHint="search"
          spellCheck={false}
        />
        <Popover className={`${menu.popover} ${css.popover}`} offset={6}>
          <ListBox<OfferGroup> className={css.list}>
            {group => (
              <ListBoxSection id={group.id}>
                <Header className={css.head}>{group.title}</Header>
                <Collection items={group.offers}>{offer => <OfferItem offer={offer} />}</Collection>
              </ListBoxSection>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
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
