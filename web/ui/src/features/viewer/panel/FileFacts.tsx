import type { ReadAsset } from '~/features/assets/asset'
import { useFormat, useTexts } from '~/text/context'
import { exposureOf, lensOf, rawExposure } from '../exposure'
import { codecName, containerName, technicalOf, type VideoFacts } from '../technical'
import { fileTexts } from './fileTexts'
import { Fact } from './Row'

/** A description of a video, audio file or archive, and the origin of its picture. */
export function FileFacts({ asset }: { asset: ReadAsset }) {
  const t = useTexts(fileTexts)
  const { file } = technicalOf(asset)
  return (
    <>
      <Camera asset={asset} />
      <MediaFacts asset={asset} />
      <ArchiveFacts asset={asset} />
      {file?.preview && (
        <Fact name={t.preview}>
          <span lang="en">{file.preview}</span>
        </Fact>
      )}
      {file?.no_preview && !asset.urls.preview && (
        <Fact name={t.noPreview}>
          <span lang="en">{file.no_preview}</span>
        </Fact>
      )}
      {file?.warning && (
        <Fact name={t.warning}>
          <span lang="en">{file.warning}</span>
        </Fact>
      )}
    </>
  )
}

/** The camera settings in common notation; the raw values are one click away. */
function Camera({ asset }: { asset: ReadAsset }) {
  const t = useTexts(fileTexts)
  const format = useFormat()
  const { exif } = technicalOf(asset)
  const text = exif && exposureOf(exif, format.number)
  const lens = exif && lensOf(exif)
  return (
    <>
      {text && (
        <Fact name={t.camera}>
          <details>
            <summary>{text}</summary>
            <dl>
              {rawExposure(exif).map(([name, value]) => (
                <Fact key={name} name={name}>
                  {value}
                </Fact>
              ))}
            </dl>
          </details>
        </Fact>
      )}
      {lens && <Fact name={t.lens}>{lens}</Fact>}
    </>
  )
}

function MediaFacts({ asset }: { asset: ReadAsset }) {
  const t = useTexts(fileTexts)
  const format = useFormat()
  const { video, audio } = technicalOf(asset)
  const any: VideoFacts | undefined = video ?? audio
  if (!any) return null
  const sound = video ? any.audio_codec : any.codec
  const channels = any.channels && (t.channels[String(any.channels) as '1'] ?? t.manyChannels(any.channels))
  const rows: [string, string | number | false | undefined][] = [
    [t.container, any.container && containerName(any.container)],
    [t.codec, video?.codec && [codecName(video.codec), video.profile].filter(Boolean).join(', ')],
    [t.frameRate, any.frame_rate && t.framesASecond(format.number(Math.round(any.frame_rate * 100) / 100))],
    [t.rotation, any.rotation && t.degrees(any.rotation)],
    [
      t.sound,
      [
        sound && codecName(sound),
        channels,
        any.sample_rate && t.kilohertz(format.number(any.sample_rate / 1000)),
        audio?.bits && t.bits(audio.bits),
      ]
        .filter(Boolean)
        .join(', '),
    ],
    [t.bitRate, any.bit_rate && t.kilobits(format.number(Math.round(any.bit_rate / 1000)))],
    [t.album, audio?.album],
    [t.track, audio?.track],
    [t.disc, audio?.disc],
    [t.genre, audio?.genre],
    [t.year, audio?.year],
    [t.plays, any.playable === false && t.notInBrowsers],
  ]
  return rows.map(
    ([name, value]) =>
      Boolean(value) && (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ),
  )
}

function ArchiveFacts({ asset }: { asset: ReadAsset }) {
  const t = useTexts(fileTexts)
  const format = useFormat()
  const { archive } = technicalOf(asset)
  if (!archive) return null
  return (
    <>
      {archive.files !== undefined && <Fact name={t.files}>{format.number(archive.files)}</Fact>}
      {archive.unpacked_size !== undefined && (
        <Fact name={t.unpacked}>{format.size(archive.unpacked_size)}</Fact>
      )}
      {archive.encrypted && <Fact name={t.encrypted}>{t.yes}</Fact>}
    </>
  )
}
