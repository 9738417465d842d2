import {
  type CalendarDate,
  type CalendarDateTime,
  getLocalTimeZone,
  parseAbsoluteToLocal,
  parseDate,
  parseDateTime,
  toCalendarDateTime,
  today,
  toZoned,
  ZonedDateTime,
} from '@internationalized/date'
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import {
  DatePicker as AriaPicker,
  DateRangePicker as AriaRangePicker,
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DateSegment,
  type DateValue,
  Dialog,
  FieldError,
  Group,
  Heading,
  Label,
  Popover,
  RangeCalendar,
  Text,
} from 'react-aria-components'
import { catalogue } from '~/text/catalogue'
import { useTexts } from '~/text/context'
import css from './DateFields.module.css'
import field from './Field.module.css'

const texts = catalogue({ clear: 'Clear' }, { de: { clear: 'Leeren' } })

/** The day of a date as the interface writes it, 2026-01-31 or an instant; null for what is none. */
function dayOf(text: string | null | undefined): CalendarDate | null {
  try {
    return text ? parseDate(text.slice(0, 10)) : null
  } catch {
    return null
  }
}

/** The moment of an instant, in the reader's zone, or of a clock elsewhere; null for what is none. */
function momentOf(text: string, isLocal: boolean): ZonedDateTime | CalendarDateTime | null {
  try {
    if (!text) return null
    return isLocal ? parseDateTime(text) : parseAbsoluteToLocal(text)
  } catch {
    return null
  }
}

/** A value as the interface writes it. */
function written(v: DateValue | null): string {
  return v instanceof ZonedDateTime ? v.toAbsoluteString() : (v?.toString() ?? '')
}

interface DateFieldProps {
  label: string
  /** The label is for screen readers only. */
  hideLabel?: boolean
  /** 2026-01-31, an instant or a local time; empty for none. */
  value: string
  onChange: (value: string) => void
  /** Called with what it has when it is left, a day is picked, or Enter is pressed. */
  onDone?: (value: string) => void
  /** Called on Escape, unless that closes the calendar. */
  onEscape?: () => void
  /** With the time of the day, in the reader's zone: it is an instant then. Local: of a clock elsewhere, 2026-01-31T22:00. */
  withTime?: boolean | 'local'
  isRequired?: boolean
  isDisabled?: boolean
  help?: string
  errors?: string[]
}

/** One day, or a moment of it, typed or picked from a calendar. */
export function DateField({ label, hideLabel = false, value, errors = [], ...props }: DateFieldProps) {
  const t = useTexts(texts)
  const { onDone, onEscape, withTime = false, help } = props
  const latest = useRef(value)
  useEffect(() => {
    latest.current = value
  }, [value])
  const change = (v: string) => {
    latest.current = v
    props.onChange(v)
  }
  const done = () => onDone?.(latest.current)
  // On the way down: the parts of a date keep Enter to themselves.
  const key = (e: KeyboardEvent) => {
    if (e.key === 'Enter' && onDone && !inButton(e)) done()
    else if (e.key === 'Escape' && onEscape) {
      e.stopPropagation()
      onEscape()
    }
  }
  return (
    <AriaPicker<DateValue>
      className={field.field}
      value={withTime ? momentOf(value, withTime === 'local') : dayOf(value)}
      onChange={d => change(written(d))}
      onBlur={done}
      onOpenChange={isOpen => !isOpen && done()}
      isRequired={props.isRequired ?? false}
      isDisabled={props.isDisabled ?? false}
      isInvalid={errors.length > 0}
      shouldForceLeadingZeros
      hideTimeZone
      {...(withTime && { granularity: 'minute', placeholderValue: midnight(withTime === 'local') })}
    >
      <Label className={hideLabel ? 'visually-hidden' : field.label}>{label}</Label>
      <div onKeyDownCapture={key}>
        <Group className={css.group}>
          <DateInput className={css.date}>
            {s => <DateSegment segment={s} className={css.segment} />}
          </DateInput>
          <Open />
        </Group>
      </div>
      {help && (
        <Text slot="description" className={field.help}>
          {help}
        </Text>
      )}
      <FieldError className={field.error}>{errors.length > 0 ? errors.join(' ') : undefined}</FieldError>
      <Popover className={css.popover}>
        <Dialog className={css.dialog}>
          {({ close }) => (
            <>
              <Calendar>
                <Head />
                <Days />
              </Calendar>
              {value && (
                <Button
                  slot={null}
                  className={css.clear}
                  onPress={() => {
                    change('')
                    close()
                  }}
                >
                  {t.clear}
                </Button>
              )}
            </>
          )}
        </Dialog>
      </Popover>
    </AriaPicker>
  )
}

const inButton = (e: KeyboardEvent) => e.target instanceof Element && e.target.closest('button') !== null

/** The beginning of today, where a moment starts from. */
function midnight(isLocal: boolean) {
  const day = today(getLocalTimeZone())
  return isLocal ? toCalendarDateTime(day) : toZoned(day, getLocalTimeZone())
}

interface DateRangeProps {
  label: string
  hideLabel?: boolean
  /** The first and the last day; null for none. */
  value: readonly [string, string] | null
  onChange: (value: [string, string] | null) => void
}

/** From one day to another, typed or picked from a calendar. */
export function DateRangeField({ label, hideLabel = false, value, onChange }: DateRangeProps) {
  const [start, end] = [dayOf(value?.[0]), dayOf(value?.[1])]
  return (
    <AriaRangePicker
      className={field.field}
      value={start && end ? { start, end } : null}
      onChange={r => onChange(r ? [r.start.toString(), r.end.toString()] : null)}
      shouldForceLeadingZeros
    >
      <Label className={hideLabel ? 'visually-hidden' : field.label}>{label}</Label>
      <Group className={css.group}>
        <span className={css.range}>
          <DateInput slot="start" className={css.date}>
            {s => <DateSegment segment={s} className={css.segment} />}
          </DateInput>
          <span aria-hidden>–</span>
          <DateInput slot="end" className={css.date}>
            {s => <DateSegment segment={s} className={css.segment} />}
          </DateInput>
        </span>
        <Open />
      </Group>
      <Popover className={css.popover}>
        <Dialog className={css.dialog}>
          <RangeCalendar className={css.between ?? ''}>
            <Head />
            <Days />
          </RangeCalendar>
        </Dialog>
      </Popover>
    </AriaRangePicker>
  )
}

function Open() {
  return (
    <Button className={css.open}>
      <CalendarDays size={16} />
    </Button>
  )
}

function Head() {
  return (
    <header className={css.head}>
      <Button slot="previous" className={css.step}>
        <ChevronLeft size={18} />
      </Button>
      <Heading className={css.month} />
      <Button slot="next" className={css.step}>
        <ChevronRight size={18} />
      </Button>
    </header>
  )
}

function Days() {
  return (
    <CalendarGrid className={css.days}>{d => <CalendarCell date={d} className={css.day} />}</CalendarGrid>
  )
}
