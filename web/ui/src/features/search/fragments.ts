/** A piece of a text, and whether it is what was searched for. */
export interface Piece {
  text: string
  isMatch: boolean
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#34': '"', '#39': "'" }

/**
 * Reads a fragment of the server: an escaped text with what was found in <mark>
 * elements. Anything else in it stays the text that it is.
 */
export function piecesOf(html: string): Piece[] {
  const pieces: Piece[] = []
  let isMatch = false
  for (const part of html.split(/(<\/?mark>)/)) {
    if (part === '<mark>') isMatch = true
    else if (part === '</mark>') isMatch = false
    else if (part) pieces.push({ text: decoded(part), isMatch })
  }
  return pieces
}

function decoded(text: string): string {
  return text.replace(/&(lt|gt|amp|quot|#34|#39);/g, (all, name: string) => entities[name] ?? all)
}
