/** How a piece of a line looks; colour means state, all else is ink. */
export type Tone = 'text' | 'dim' | 'bold' | 'run' | 'needs' | 'error' | 'done';

export interface Segment {
  readonly text: string;
  readonly tone: Tone;
}

/** One line of the screen, not wider than asked for. */
export type Line = readonly Segment[];

export const EMPTY: Line = [];

export function lineOf(text: string, tone: Tone = 'text'): Line {
  return [{ text, tone }];
}
