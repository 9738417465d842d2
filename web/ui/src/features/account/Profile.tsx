import { useState } from 'react'
import { api, data, type Schemas } from '~/api/client'
import { Button } from '~/components/button/Button'
import { Form } from '~/components/field/Form'
import { Select } from '~/components/field/Select'
import { TextField } from '~/components/field/TextField'
import { toast } from '~/components/toast/Toast'
import { useChangedAccount, useSession } from '~/features/session/session'
import { useFormat, useLanguage, useTexts } from '~/text/context'
import css from './Account.module.css'
import { texts } from './texts'

type Choice = Schemas['Language'] | 'browser'

/** Regions whose date and number formats can be chosen. Sweden's dates follow ISO 8601. */
const regions = ['AU', 'AT', 'CA', 'CH', 'DE', 'GB', 'IE', 'IN', 'NZ', 'SE', 'US', 'ZA']

/** The user's name and language, and the regional format of this browser. */
export function Profile() {
  const t = useTexts(texts)
  const { user, languages } = useSession()
  const { locale, region, chooseRegion } = useLanguage()
  const names = new Intl.DisplayNames(locale, { type: 'region' })
  const format = useFormat()
  const changed = useChangedAccount()
  const [name, setName] = useState(user.name)
  const [language, setLanguage] = useState<Choice>(user.language ?? 'browser')
  const submit = async () => {
    const body = { name, language: language === 'browser' ? null : language }
    const account = (await data(api.PUT('/api/v1/user', { body }))).data
    changed(account)
    setName(account.name)
    toast({ text: t.saved })
  }
  return (
    <section className={css.section} aria-labelledby="profile">
      <h2 id="profile">{t.profile}</h2>
      <div className={css.form}>
        <Form onSubmit={submit}>
          {({ pending, errors }) => (
            <>
              <TextField
                label={t.name}
                value={name}
                onChange={setName}
                autoComplete="name"
                isRequired
                errors={errors.name ?? []}
              />
              <TextField label={t.email} help={t.emailHelp} type="email" value={user.email} isReadOnly />
              <Select
                label={t.language}
                choices={[
                  { id: 'browser', text: t.browserLanguage },
                  ...languages.map(l => ({ id: l, text: t.languages[l] ?? l })),
                ]}
                value={language}
                onChange={setLanguage}
                errors={errors.language ?? []}
              />
              <Select
                label={t.region}
                help={t.regionHelp(format.time(new Date()), format.number(1234.5))}
                choices={[
                  { id: 'browser', text: t.browserLanguage },
                  ...regions.map(id => ({ id, text: names.of(id) ?? id })),
                ]}
                value={region ?? 'browser'}
                onChange={r => chooseRegion(r === 'browser' ? null : r)}
              />
              <Button type="submit" isPending={pending}>
                {t.save}
              </Button>
            </>
          )}
        </Form>
      </div>
    </section>
  )
}
