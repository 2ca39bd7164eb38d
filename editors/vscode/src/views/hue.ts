/** The colours by which lines of PTX and their machine code are known. */

/** So many hues can be told from each other. */
export const HUES = 24;
/** Neighbouring lines get hues far from each other; this has no factor in common with {@link HUES}. */
const STEP = 7;

/** Which of the hues a line has, counted from 0. */
export function hueOf(line: number): number {
  return (line * STEP) % HUES;
}

/** A hue as CSS has it. */
export function colorOf(hue: number): string {
  return `hsl(${(hue * 360) / HUES} 60% 55%)`;
}
