/** A piece of a text, and whether it is a match. */
export interface Piece {
  text: string
  isMatch: boolean
}

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#34': '"', '#39': "'" }

/** Parses a fragment of the server: an escaped text with matches in <mark> elements. Other markup is kept as text. */
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
