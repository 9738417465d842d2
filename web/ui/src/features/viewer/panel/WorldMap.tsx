import css from './WorldMap.module.css'
import world from './world.svg'

const height = 150 // degrees of latitude in the drawing, from the north pole down

/** A point on a world map, drawn from a bundled file: no tiles, no network. */
export function WorldMap({
  latitude,
  longitude,
  label,
}: {
  latitude: number
  longitude: number
  label: string
}) {
  return (
    <div className={css.map} role="img" aria-label={label}>
      <div className={css.land} style={{ maskImage: `url("${world}")` }} />
      <span
        className={css.point}
        style={{
          left: `${((longitude + 180) / 360) * 100}%`,
          top: `${Math.min(100, ((90 - latitude) / height) * 100)}%`,
        }}
      />
    </div>
  )
}
