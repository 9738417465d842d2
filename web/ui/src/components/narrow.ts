/** Whether the window is as narrow as a phone now. */
export const isNarrow = () => window.matchMedia('(max-width: 48rem)').matches
