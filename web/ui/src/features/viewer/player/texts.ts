import { catalogue } from '~/text/catalogue'

export const texts = catalogue(
  {
    play: 'Play',
    pause: 'Pause',
    position: 'Position',
    timeOf: (at: string, of: string) => `${at} of ${of}`,
    mute: 'Mute',
    unmute: 'Unmute',
    volume: 'Volume',
    speed: 'Speed',
    frameBack: 'One frame back',
    frameOn: 'One frame forward',
    kindOf: (codecs: string, container: string) => (codecs ? `${codecs} in ${container}` : container),
    cannotPlay: (what: string) => `Browsers cannot play this: ${what}.`,
    cannotPlayHere: (what: string) => `This browser cannot play this: ${what}.`,
  },
  {
    de: {
      play: 'Abspielen',
      pause: 'Anhalten',
      position: 'Stelle',
      timeOf: (at: string, of: string) => `${at} von ${of}`,
      mute: 'Ton ausschalten',
      unmute: 'Ton einschalten',
      volume: 'Lautstärke',
      speed: 'Tempo',
      frameBack: 'Ein Bild zurück',
      frameOn: 'Ein Bild weiter',
      kindOf: (codecs: string, container: string) => (codecs ? `${codecs} in ${container}` : container),
      cannotPlay: (what: string) => `Browser können das nicht abspielen: ${what}.`,
      cannotPlayHere: (what: string) => `Dieser Browser kann das nicht abspielen: ${what}.`,
    },
  },
)
