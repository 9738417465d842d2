import { Copy, ExternalLink } from 'lucide-react'
import { IconButton } from '~/components/button/Button'
import { toast } from '~/components/toast/Toast'
import { useTexts } from '~/text/context'
import { readCoordinates, writeCoordinates } from './coordinates'
import { EditableText } from './EditableText'
import css from './Panel.module.css'
import { Part } from './Row'
import type { EditProps } from './save'
import { texts } from './texts'
import { WorldMap } from './WorldMap'

const noCoordinates = { latitude: null, longitude: null }

/** Where it was taken: the place, the coordinates, and a point on a world map. */
export function Location({ asset, save }: EditProps) {
  const t = useTexts(texts)
  const { location } = asset
  if (!save && !location) return null
  const point = pointOf(location)
  const coordinates = point ? writeCoordinates(point.latitude, point.longitude) : ''
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(coordinates)
      toast({ text: t.copied })
    } catch {
      toast({ text: t.cannotCopy })
    }
  }
  return (
    <Part title={t.location} open={location !== null}>
      {point && <WorldMap {...point} label={location?.place ?? coordinates} />}
      {save ? (
        <>
          <EditableText
            label={t.placeName}
            name="location.place"
            value={location?.place ?? ''}
            onSave={(v, force) => save({ location: { place: v || null } }, force)}
          />
          <EditableText
            label={t.coordinates}
            name="location"
            value={coordinates}
            placeholder="53.5413, 9.9841"
            onSave={(v, force) => save({ location: v.trim() ? readCoordinates(v) : noCoordinates }, force)}
          />
        </>
      ) : (
        location?.place && <p>{location.place}</p>
      )}
      {point && (
        <p className={css.inline}>
          {!save && <span>{coordinates}</span>}
          <a href={`geo:${point.latitude},${point.longitude}`} className={css.inlineLink}>
            <ExternalLink size={14} aria-hidden /> {t.openMap}
          </a>
          <IconButton label={t.copyCoordinates} onPress={() => void copy()}>
            <Copy />
          </IconButton>
        </p>
      )}
    </Part>
  )
}

function pointOf(l: EditProps['asset']['location']) {
  if (!l || l.latitude === null || l.longitude === null) return null
  return { latitude: l.latitude, longitude: l.longitude }
}
