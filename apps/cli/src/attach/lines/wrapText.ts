import { textWidth } from '../../text/width.js';

/** Maximum number of lines of a long text; `agenthost log` has the rest. */
const MAX_LINES = 5_000;

/** Wraps plain text into lines of at most that many columns, between words where possible; at most `maxLines`. */
export function wrapText(text: string, columns: number, maxLines = MAX_LINES): string[] {
  const width = Math.max(columns, 1);
  const lines: string[] = [];
  for (const line of text.replaceAll('\t', '    ').split('\n')) {
    if (lines.length >= maxLines) {
      lines.push('… the rest is shown by agenthost log');
      break;
    }
    if (textWidth(line) <= width) lines.push(line);
    else lines.push(...wrapLine(line, width));
  }
  return lines;
}

function wrapLine(line: string, width: number): string[] {
  const indent = /^\s*/.exec(line)?.[0].slice(0, Math.floor(width / 2)) ?? '';
  const lines: string[] = [];
  let current = '';
  let used = 0;
  for (const word of line.match(/\S+\s*|^\s+/g) ?? []) {
    const wide = textWidth(word.trimEnd());
    if (used > 0 && used + wide > width) {
      lines.push(current.trimEnd());
      current = indent;
      used = textWidth(indent);
    }
    if (used + wide <= width) {
      current += word;
      used += textWidth(word);
      continue;
    }
    for (const piece of pieces(word, width - used, width)) {
      current += piece.text;
      if (!piece.isLast) {
        lines.push(current.trimEnd());
        current = '';
      }
    }
    used = textWidth(current);
  }
  if (current.trimEnd() !== '' || lines.length === 0) lines.push(current.trimEnd());
  return lines;
}

/** A word that is longer than a line. */
function* pieces(word: string, first: number, width: number): Generator<{ text: string; isLast: boolean }> {
  let room = Math.max(first, 1);
  let text = '';
  let used = 0;
  for (const character of word) {
    const wide = textWidth(character);
    if (used + wide > room && (text !== '' || room < width)) {
      yield { text, isLast: false };
      [text, used, room] = ['', 0, width];
    }
    text += character;
    used += wide;
  }
  yield { text, isLast: true };
}
