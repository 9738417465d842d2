import { type CalendarDate, parseDate } from '@internationalized/date'
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react'
import {
  DatePicker as AriaPicker,
  DateRangePicker as AriaRangePicker,
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DateSegment,
  Dialog,
  FieldError,
  Group,
  Heading,
  Label,
  Popover,
  RangeCalendar,
} from 'react-aria-components'
import css from './DateFields.module.css'
import field from './Field.module.css'

/** The day of a date as the interface writes it, 2026-01-31 or an instant; null for what is none. */
function dayOf(text: string | null | undefined): CalendarDate | null {
  try {
    return text ? parseDate(text.slice(0, 10)) : null
  } catch {
    return null
  }
}

interface DateFieldProps {
  label: string
  /** The label is for screen readers only. */
  hideLabel?: boolean
  /** 2026-01-31 or an instant; empty for none. */
  value: string
  onChange: (value: string) => void
  errors?: string[]
}

/** One day, typed or picked from a calendar. */
export function DateField({ label, hideLabel = false, value, onChange, errors = [] }: DateFieldProps) {
  return (
    <AriaPicker
      className={field.field}
      value={dayOf(value)}
      onChange={d => onChange(d?.toString() ?? '')}
      isInvalid={errors.length > 0}
      shouldForceLeadingZeros
    >
      <Label className={hideLabel ? 'visually-hidden' : field.label}>{label}</Label>
      <Group className={css.group}>
        <DateInput className={css.date}>{s => <DateSegment segment={s} className={css.segment} />}</DateInput>
        <Open />
      </Group>
      <FieldError className={field.error}>{errors.length > 0 ? errors.join(' ') : undefined}</FieldError>
      <Popover className={css.popover}>
        <Dialog className={css.dialog}>
          <Calendar>
            <Head />
            <Days />
          </Calendar>
        </Dialog>
      </Popover>
    </AriaPicker>
  )
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
