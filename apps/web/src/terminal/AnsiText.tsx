import Anser, { type AnserJsonEntry } from 'anser';
import { type CSSProperties, memo, useMemo } from 'react';
import { terminalScreen } from './terminalScreen.js';

/** A program's output as a terminal shows it, including colours. */
export const AnsiText = memo(function AnsiText({ text }: { readonly text: string }) {
  const entries = useMemo(() => {
    const screen = terminalScreen(text);
    return screen.includes('\x1b[')
      ? Anser.ansiToJson(screen, { json: true, remove_empty: true, use_classes: true })
      : screen;
  }, [text]);
  if (typeof entries === 'string') return <>{entries}</>;
  return entries.map((entry, index) => (
    <span key={index} className={className(entry)} style={style(entry)}>
      {entry.content}
    </span>
  ));
});

function className({ decorations, fg, bg }: AnserJsonEntry): string | undefined {
  const names = [
    ...decorations.map((name) => `ansi-${name}`),
    ...(named(fg) ? [fg] : []),
    ...(named(bg) ? [`${bg}-bg`] : []),
  ];
  return names.length > 0 ? names.join(' ') : undefined;
}

function style({ fg, bg, fg_truecolor, bg_truecolor }: AnserJsonEntry): CSSProperties | undefined {
  const color = exactColour(fg, fg_truecolor);
  const backgroundColor = exactColour(bg, bg_truecolor);
  if (!color && !backgroundColor) return undefined;
  return { ...(color && { color }), ...(backgroundColor && { backgroundColor }) };
}

function named(colour: string | null): boolean {
  return colour !== null && /^ansi-(?:bright-)?(?:black|red|green|yellow|blue|magenta|cyan|white)$/.test(colour);
}

function exactColour(colour: string | null, trueColour: string | null): string | undefined {
  if (colour === 'ansi-truecolor' && trueColour && /^\d{1,3}, ?\d{1,3}, ?\d{1,3}$/.test(trueColour))
    return `rgb(${trueColour})`;
  const palette = colour && /^ansi-palette-(\d{1,3})$/.exec(colour);
  return palette ? paletteColour(Number(palette[1])) : undefined;
}

const STEPS = [0, 95, 135, 175, 215, 255];

/** xterm's colours 16 to 255: a cube of six steps a side, then greys. */
function paletteColour(index: number): string | undefined {
  if (index < 16 || index > 255) return undefined;
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return `rgb(${grey}, ${grey}, ${grey})`;
  }
  const place = index - 16;
  return `rgb(${STEPS[Math.floor(place / 36)]}, ${STEPS[Math.floor(place / 6) % 6]}, ${STEPS[place % 6]})`;
}
