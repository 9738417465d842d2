import { useState } from 'react'
import { messagesAt } from '~/api/client'
import { DateField } from '~/components/field/DateFields'
import { PasswordField } from '~/components/field/PasswordField'
import { Select } from '~/components/field/Select'
import { Switch } from '~/components/field/Switch'
import { TextField } from '~/components/field/TextField'
import { Notice } from '~/components/state/Notice'
import { useSession } from '~/features/session/session'
import { useTexts } from '~/text/context'
import { isMarked, messagesOfItems, type ShareForm } from './form'
import css from './Shares.module.css'
import { texts } from './texts'

interface FieldsProps {
  form: ShareForm
  set: (part: Partial<ShareForm>) => void
  errors: Record<string, string[]>
}

/** The main settings of every share. */
export function MainFields({
  form: f,
  set,
  errors,
  isNew,
  hasPassword,
  asks,
}: FieldsProps & { isNew: boolean; hasPassword: boolean; asks: boolean }) {
  const t = useTexts(texts)
  return (
    <>
      <TextField
        label={t.name}
        help={t.nameHelp}
        value={f.name}
        onChange={name => set({ name })}
        isRequired
        autoFocus
        errors={errors.name ?? []}
      />
      {isNew && !asks && (
        <Switch
          label={t.askFeedback}
          help={t.askFeedbackHelp}
          value={f.asksFeedback}
          onChange={asksFeedback => set({ asksFeedback })}
        />
      )}
      <PasswordField
        label={t.password}
        help={hasPassword ? t.passwordKept : t.passwordHelp}
        autoComplete="new-password"
        value={f.password}
        onChange={password => set({ password })}
        isDisabled={f.dropsPassword}
        errors={errors.password ?? []}
      />
      {hasPassword && (
        <Switch
          label={t.dropPassword}
          value={f.dropsPassword}
          onChange={dropsPassword => set({ dropsPassword })}
        />
      )}
      <DateField
        label={t.endsOn}
        help={t.endsOnHelp}
        value={f.endsOn}
        onChange={endsOn => set({ endsOn })}
        errors={errors.expires_at ?? []}
      />
      {!asks && <WhatLeaves form={f} set={set} errors={errors} />}
    </>
  )
}

/** The settings for downloads. */
function WhatLeaves({ form: f, set, errors }: FieldsProps) {
  const t = useTexts(texts)
  return (
    <>
      <Switch
        label={t.allowDownload}
        help={t.allowDownloadHelp}
        value={f.allowsDownload}
        onChange={allowsDownload => set({ allowsDownload })}
      />
      <Switch
        label={t.allowOriginal}
        help={t.allowOriginalHelp}
        value={f.allowsOriginal}
        onChange={allowsOriginal => set({ allowsOriginal })}
        errors={errors.allow_original ?? []}
      />
      <Switch
        label={t.includeMetadata}
        help={t.includeMetadataHelp}
        value={f.includesMetadata}
        onChange={includesMetadata => set({ includesMetadata })}
      />
      {f.allowsOriginal && !f.includesMetadata && <Notice kind="info">{t.needsMetadata}</Notice>}
      <MarkFields form={f} set={set} errors={errors} />
    </>
  )
}

/** The watermark settings. */
function MarkFields({ form: f, set, errors }: FieldsProps) {
  const t = useTexts(texts)
  const places = (['tiled', 'corner'] as const).map(id => ({ id, text: t.placements[id] }))
  return (
    <>
      <TextField
        label={t.watermark}
        help={t.watermarkHelp}
        value={f.watermark}
        onChange={watermark => set({ watermark })}
        isDisabled={f.marksLogo}
        errors={[...(errors.watermark ?? []), ...messagesAt(errors, 'watermark.text')]}
      />
      <Switch
        label={t.marksLogo}
        help={t.marksLogoHelp}
        value={f.marksLogo}
        onChange={marksLogo => set({ marksLogo })}
        errors={messagesAt(errors, 'watermark.logo')}
      />
      {isMarked(f) && (
        <>
          <Select
            label={t.placement}
            choices={places}
            value={f.placement}
            onChange={placement => set({ placement })}
          />
          <TextField
            label={t.opacity}
            help={t.opacityHelp}
            inputMode="numeric"
            value={f.opacity}
            onChange={opacity => set({ opacity })}
            errors={messagesAt(errors, 'watermark.opacity')}
          />
        </>
      )}
    </>
  )
}

/** Whether any of the collapsed limits is set. */
const hasLimits = (f: ShareForm) =>
  f.asksEmail ||
  f.asksTerms ||
  f.showsCard ||
  [f.longest, f.emails, f.domains, f.ranges, f.maxViews, f.maxDownloads, f.terms].some(Boolean)

const limits = ['max_resolution', 'access', 'terms_text']

/** The settings that few shares need. */
export function MoreFields({ form: f, set, errors, asks }: FieldsProps & { asks: boolean }) {
  const t = useTexts(texts)
  const { sends_mail: sendsMail } = useSession()
  const [isOpen, setOpen] = useState(() => hasLimits(f))
  const wrong = limits.some(name => messagesAt(errors, name).length > 0)
  const ofList = (name: string, text: string) => messagesOfItems(errors, name, text, t.item)
  return (
    <details className={css.more} open={isOpen || wrong} onToggle={e => setOpen(e.currentTarget.open)}>
      <summary>{t.more}</summary>
      <div className={css.inside}>
        {!asks && (
          <>
            <TextField
              label={t.longest}
              help={t.longestHelp}
              inputMode="numeric"
              value={f.longest}
              onChange={longest => set({ longest })}
              errors={errors.max_resolution ?? []}
            />
            <Switch
              label={t.showsCard}
              help={t.showsCardHelp}
              value={f.showsCard}
              onChange={showsCard => set({ showsCard })}
            />
          </>
        )}
        <TextField
          label={t.emails}
          help={t.listHelp}
          long
          value={f.emails}
          onChange={emails => set({ emails })}
          errors={ofList('access.emails', f.emails)}
        />
        <TextField
          label={t.domains}
          help={t.listHelp}
          long
          value={f.domains}
          onChange={domains => set({ domains })}
          errors={ofList('access.email_domains', f.domains)}
        />
        <Switch
          label={t.requireEmail}
          help={sendsMail ? t.requireEmailCode : t.requireEmailHelp}
          value={f.asksEmail}
          onChange={asksEmail => set({ asksEmail })}
        />
        <TextField
          label={t.ranges}
          help={t.rangesHelp}
          long
          value={f.ranges}
          onChange={ranges => set({ ranges })}
          errors={ofList('access.ip_ranges', f.ranges)}
        />
        <TextField
          label={t.maxViews}
          help={t.maxViewsHelp}
          inputMode="numeric"
          value={f.maxViews}
          onChange={maxViews => set({ maxViews })}
          errors={messagesAt(errors, 'access.max_views')}
        />
        {!asks && (
          <TextField
            label={t.maxDownloads}
            help={t.maxDownloadsHelp}
            inputMode="numeric"
            value={f.maxDownloads}
            onChange={maxDownloads => set({ maxDownloads })}
            errors={messagesAt(errors, 'access.max_downloads')}
          />
        )}
        <TextField
          label={t.terms}
          long
          value={f.terms}
          onChange={terms => set({ terms })}
          errors={errors.terms_text ?? []}
        />
        <Switch
          label={t.requireTerms}
          help={t.requireTermsHelp}
          value={f.asksTerms}
          onChange={asksTerms => set({ asksTerms })}
        />
      </div>
    </details>
  )
}
