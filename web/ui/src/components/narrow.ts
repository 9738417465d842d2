/** Whether the window is currently as narrow as a phone. */
export const isNarrow = () => window.matchMedia('(max-width: 48rem)').matches
