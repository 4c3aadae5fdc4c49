/** The look of a piece of a line; colour means state. */
export type Tone = 'text' | 'dim' | 'bold' | 'run' | 'needs' | 'error' | 'done';

export interface Segment {
  readonly text: string;
  readonly tone: Tone;
}

/** One line of the screen, at most as wide as requested. */
export type Line = readonly Segment[];

export const EMPTY: Line = [];

export function lineOf(text: string, tone: Tone = 'text'): Line {
  return [{ text, tone }];
}
