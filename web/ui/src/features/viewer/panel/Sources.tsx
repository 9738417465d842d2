import type { ReadAsset } from '~/features/assets/asset'
import { useTexts } from '~/text/context'
import { type ConflictFact, technicalOf } from '../technical'
import css from './Panel.module.css'
import { Fact, Part } from './Row'
import { sourceTexts } from './sourceTexts'

/** Conflicts between the sources of a file's metadata, and its content credentials. */
export function Sources({ asset }: { asset: ReadAsset }) {
  const { conflicts, content_credentials: credentials, sidecars } = technicalOf(asset)
  const t = useTexts(sourceTexts)
  return (
    <>
      {credentials && (
        <Part title={t.credentials}>
          <dl className={css.facts}>
            {credentials.signer && <Fact name={t.signer}>{credentials.signer}</Fact>}
            {credentials.issuer && credentials.issuer !== credentials.signer && (
              <Fact name={t.issuer}>{credentials.issuer}</Fact>
            )}
            {credentials.generator && <Fact name={t.generator}>{credentials.generator}</Fact>}
            {credentials.source_type && (
              <Fact name={t.madeHow}>
                {t.sourceTypes[credentials.source_type as 'digitalCapture'] ?? credentials.source_type}
              </Fact>
            )}
            {credentials.actions && (
              <Fact name={t.actions}>
                <span lang="en">
                  {credentials.actions.map(a => a.replace(/^c2pa\./, '').replaceAll('_', ' ')).join(', ')}
                </span>
              </Fact>
            )}
          </dl>
          <p className={css.soft}>{t.notVerified}</p>
        </Part>
      )}
      {sidecars && sidecars.length > 1 && (
        <p className={css.soft}>{t.sidecarCounts(sidecars[0]?.filename ?? '')}</p>
      )}
      {conflicts && conflicts.length > 0 && (
        <Part title={t.conflicts}>
          <p className={css.soft}>{t.conflictsHelp}</p>
          {conflicts.map(c => (
            <Disagreement key={c.field} conflict={c} />
          ))}
        </Part>
      )}
    </>
  )
}

function Disagreement({ conflict }: { conflict: ConflictFact }) {
  const t = useTexts(sourceTexts)
  const nameOf = (source: string) => t.sources[source as 'xmp'] ?? source
  return (
    <section className={css.group}>
      <h3>{t.fields[conflict.field as 'title'] ?? conflict.field}</h3>
      <dl className={css.facts}>
        {conflict.chosen === 'library' && <Fact name={nameOf('library')}>{t.keptAsEdited}</Fact>}
        {conflict.sources.map(s => (
          <Fact key={s.source} name={nameOf(s.source)}>
            {s.source === conflict.chosen ? (
              <>
                {String(s.value)} <strong>{t.used}</strong>
              </>
            ) : (
              String(s.value)
            )}
          </Fact>
        ))}
      </dl>
    </section>
  )
}
