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

/** The day of an API date, 2026-01-31 or an instant; null if invalid. */
function dayOf(text: string | null | undefined): CalendarDate | null {
  try {
    return text ? parseDate(text.slice(0, 10)) : null
  } catch {
    return null
  }
}

/** The local time of an instant, in the reader's zone, or a local time elsewhere; null if invalid. */
function momentOf(text: string, isLocal: boolean): ZonedDateTime | CalendarDateTime | null {
  try {
    if (!text) return null
    return isLocal ? parseDateTime(text) : parseAbsoluteToLocal(text)
  } catch {
    return null
  }
}

/** A value in the API's format. */
function written(v: DateValue | null): string {
  return v instanceof ZonedDateTime ? v.toAbsoluteString() : (v?.toString() ?? '')
}

interface DateFieldProps {
  label: string
  /** The label is only for screen readers. */
  hideLabel?: boolean
  /** 2026-01-31, an instant or a local time; empty for none. */
  value: string
  onChange: (value: string) => void
  /** Called with the value when the field is left, a day is picked, or Enter is pressed. */
  onDone?: (value: string) => void
  /** Called on Escape, unless it closes the calendar. */
  onEscape?: () => void
  /**
   * With a time of day: an instant in the reader's zone or, for 'local', a local time elsewhere, 2026-01-31T22:00.
   */
  withTime?: boolean | 'local'
  isRequired?: boolean
  isDisabled?: boolean
  help?: string
  errors?: string[]
}

/** A day or a time, typed or picked from a calendar. */
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
  // In the capture phase: the segments of a date handle Enter themselves.
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

/** The start of today, the initial value of a time. */
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

/** A range of days, typed or picked from a calendar. */
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
