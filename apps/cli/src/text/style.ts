import type { SessionStatus, SessionSummary } from '@agenthost/protocol';

export interface Style {
  readonly colour: boolean;
  bold(text: string): string;
  dim(text: string): string;
  run(text: string): string;
  needs(text: string): string;
  error(text: string): string;
  done(text: string): string;
}

/** Colours on a terminal, unless the user has turned them off: https://no-color.org. */
export function styleFor(stream: { readonly isTTY?: boolean }, env = process.env): Style {
  const colour = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint = (open: number, close: number) => (text: string) =>
    colour && text !== '' ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    colour,
    bold: paint(1, 22),
    dim: paint(2, 22),
    run: paint(34, 39),
    needs: paint(33, 39),
    error: paint(31, 39),
    done: paint(32, 39),
  };
}

/** Colour means state, and state also has a shape. */
export const GLYPH = { inProgress: '◐', inputNeeded: '?', error: '×', done: '✓', unread: '●', idle: '○' } as const;

export function statusGlyph({ status, isRead }: Pick<SessionSummary, 'status' | 'isRead'>, style: Style): string {
  if (status === 'inProgress') return style.run(GLYPH.inProgress);
  if (status === 'inputNeeded') return style.needs(GLYPH.inputNeeded);
  if (status === 'error') return style.error(GLYPH.error);
  return isRead ? style.dim(GLYPH.idle) : style.done(GLYPH.unread);
}

export const STATUS_WORD: Readonly<Record<SessionStatus, string>> = {
  idle: 'idle',
  inProgress: 'running',
  inputNeeded: 'needs input',
  error: 'failed',
};
