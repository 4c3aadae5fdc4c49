/** The typed text and the cursor. Offsets are UTF-16; the cursor is never inside of a character. */
export interface TextEdit {
  readonly text: string;
  readonly cursor: number;
}

export const NOTHING: TextEdit = { text: '', cursor: 0 };

export function editOf(text: string): TextEdit {
  return { text, cursor: text.length };
}

export function insert({ text, cursor }: TextEdit, added: string): TextEdit {
  return { text: text.slice(0, cursor) + added + text.slice(cursor), cursor: cursor + added.length };
}

export function backspace({ text, cursor }: TextEdit): TextEdit {
  const start = before(text, cursor);
  return { text: text.slice(0, start) + text.slice(cursor), cursor: start };
}

export function deleteForward({ text, cursor }: TextEdit): TextEdit {
  return { text: text.slice(0, cursor) + text.slice(after(text, cursor)), cursor };
}

export function deleteWord({ text, cursor }: TextEdit): TextEdit {
  const kept = text.slice(0, cursor).replace(/\S*\s*$/, '');
  return { text: kept + text.slice(cursor), cursor: kept.length };
}

export function deleteToLineStart({ text, cursor }: TextEdit): TextEdit {
  const start = lineStart(text, cursor);
  return { text: text.slice(0, start) + text.slice(cursor), cursor: start };
}

export function move(edit: TextEdit, where: 'left' | 'right' | 'up' | 'down' | 'lineStart' | 'lineEnd'): TextEdit {
  const { text, cursor } = edit;
  switch (where) {
    case 'left':
      return { text, cursor: before(text, cursor) };
    case 'right':
      return { text, cursor: after(text, cursor) };
    case 'lineStart':
      return { text, cursor: lineStart(text, cursor) };
    case 'lineEnd':
      return { text, cursor: lineEnd(text, cursor) };
    case 'up':
    case 'down':
      return { text, cursor: vertically(text, cursor, where) };
  }
}

function vertically(text: string, cursor: number, where: 'up' | 'down'): number {
  const start = lineStart(text, cursor);
  const column = cursor - start;
  if (where === 'up') {
    if (start === 0) return 0;
    const previous = lineStart(text, start - 1);
    return Math.min(previous + column, start - 1);
  }
  const end = lineEnd(text, cursor);
  return end === text.length ? end : Math.min(end + 1 + column, lineEnd(text, end + 1));
}

function lineStart(text: string, cursor: number): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd(text: string, cursor: number): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

function before(text: string, cursor: number): number {
  const low = text.charCodeAt(cursor - 1);
  return Math.max(cursor - (low >= 0xdc00 && low <= 0xdfff ? 2 : 1), 0);
}

function after(text: string, cursor: number): number {
  return Math.min(cursor + ((text.codePointAt(cursor) ?? 0) > 0xffff ? 2 : 1), text.length);
}
