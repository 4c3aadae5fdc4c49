/**
 * What a terminal would show of a program's output: carriage returns, backspaces, erased lines and cursor moves within the written
 * text are applied; colours remain as SGR sequences; everything else that isn't text is removed, so that no title, link,
 * clipboard or device sequence reaches the page.
 */
export function terminalScreen(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  if (!/[\r\b\x1b\x00-\x08\x0b-\x1f\x7f\x80-\x9f]/.test(output)) return output;
  const screen = new Screen();
  SEQUENCE.lastIndex = 0;
  let at = 0;
  for (const match of output.matchAll(SEQUENCE)) {
    if (match.index > at) screen.write(output.slice(at, match.index));
    at = match.index + match[0].length;
    screen.control(match[0], match[1], match[2]);
  }
  screen.write(output.slice(at));
  return screen.text();
}

/** In turn: CSI (parameters, final byte), strings that end in ST or BEL (or are cut off by the output's end), other escapes, controls. */
export const SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /(?:\x1b\[|\x9b)([0-?]*[ -/]*)([@-~])|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c|$)|(?:\x1b\[|\x9b)[0-?]*[ -/]*$|\x1b[ -/]*[0-~]?|\r\n|[\x00-\x1f\x7f-\x9f]/g;

interface Cell {
  readonly text: string;
  readonly style: string;
}

/** A line without overwriting is one string; cells are made on demand. */
interface Row {
  plain: string;
  cells: Cell[] | undefined;
}

const MOST_COLUMNS = 2000;

class Screen {
  readonly #rows: Row[] = [{ plain: '', cells: undefined }];
  #row = 0;
  /** `undefined`: at the line's end. */
  #column: number | undefined;
  #style = '';

  write(text: string): void {
    if (text === '') return;
    const row = this.#current();
    if (this.#column === undefined && !row.cells) {
      row.plain += text;
      return;
    }
    const cells = cellsOf(row);
    let column = this.#column ?? cells.length;
    for (const character of text) {
      while (cells.length < column) cells.push({ text: ' ', style: '' });
      cells[column] = { text: character, style: this.#style };
      column += 1;
    }
    this.#column = column >= cells.length ? undefined : column;
  }

  control(whole: string, parameters: string | undefined, final: string | undefined): void {
    if (final !== undefined) this.#sequence(parameters ?? '', final);
    else if (whole === '\r\n' || whole === '\n' || whole === '\x0b' || whole === '\x0c') this.#newLine();
    else if (whole === '\r') this.#column = 0;
    else if (whole === '\b') this.#column = Math.max(0, (this.#column ?? this.#length()) - 1);
    else if (whole === '\t') this.write('\t');
  }

  text(): string {
    let style = '';
    return this.#rows
      .map((row) => {
        if (!row.cells) {
          const shown = style === '' ? row.plain : `\x1b[0m${row.plain}`;
          style = row.plain.includes('\x1b[') ? lastStyle(row.plain) : '';
          return shown;
        }
        let line = '';
        for (const cell of row.cells) {
          if (cell.style !== style) {
            line += `\x1b[0m${cell.style}`;
            style = cell.style;
          }
          line += cell.text;
        }
        return line;
      })
      .join('\n');
  }

  #sequence(parameters: string, final: string): void {
    if (final === 'm') {
      this.#colour(parameters);
      return;
    }
    if (!/^\d{0,4}$/.test(parameters)) return;
    const count = parameters === '' ? undefined : Number(parameters);
    const column = this.#column ?? this.#length();
    if (final === 'K') this.#eraseInLine(count ?? 0, column);
    else if (final === 'G') this.#column = Math.min(MOST_COLUMNS, Math.max(0, (count ?? 1) - 1));
    else if (final === 'C') this.#column = Math.min(MOST_COLUMNS, column + (count ?? 1));
    else if (final === 'D') this.#column = Math.max(0, column - (count ?? 1));
    else if (final === 'A' || final === 'F') this.#moveTo(this.#row - (count ?? 1), final === 'F' ? 0 : column);
    else if (final === 'B' || final === 'E') this.#moveTo(this.#row + (count ?? 1), final === 'E' ? 0 : column);
    else if (final === 'J' && (count ?? 0) === 0) this.#eraseBelow(column);
  }

  #colour(parameters: string): void {
    if (!/^[\d;:]{0,64}$/.test(parameters)) return;
    const sequence = `\x1b[${parameters}m`;
    const isReset = /^(?:0*)(?:;0*)*$/.test(parameters);
    this.#style = isReset ? '' : `${this.#style.length > 200 ? '' : this.#style}${sequence}`;
    const row = this.#current();
    if (this.#column === undefined && !row.cells) row.plain += sequence;
  }

  #newLine(): void {
    if (this.#row === this.#rows.length - 1) this.#rows.push({ plain: this.#style, cells: undefined });
    this.#row += 1;
    this.#column = this.#current().plain === this.#style && !this.#current().cells ? undefined : 0;
  }

  #moveTo(row: number, column: number): void {
    this.#row = Math.min(this.#rows.length - 1, Math.max(0, row));
    this.#column = column;
  }

  #eraseInLine(how: number, column: number): void {
    const cells = cellsOf(this.#current());
    if (how === 0) cells.length = Math.min(cells.length, column);
    else if (how === 2) cells.length = 0;
    else
      for (let index = 0; index <= column && index < cells.length; index += 1) cells[index] = { text: ' ', style: '' };
    this.#column = column;
  }

  #eraseBelow(column: number): void {
    this.#rows.length = this.#row + 1;
    this.#eraseInLine(0, column);
  }

  #length(): number {
    return cellsOf(this.#current()).length;
  }

  #current(): Row {
    let row = this.#rows[this.#row];
    if (!row) {
      row = { plain: '', cells: undefined };
      this.#rows[this.#row] = row;
    }
    return row;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const COLOUR = /\x1b\[([\d;:]*)m/y;

function cellsOf(row: Row): Cell[] {
  if (row.cells) return row.cells;
  const cells: Cell[] = [];
  let style = '';
  for (let at = 0; at < row.plain.length; ) {
    COLOUR.lastIndex = at;
    const colour = COLOUR.exec(row.plain);
    if (colour) {
      style = /^(?:0*)(?:;0*)*$/.test(colour[1] ?? '') ? '' : style + colour[0];
      at += colour[0].length;
      continue;
    }
    const character = String.fromCodePoint(row.plain.codePointAt(at) ?? 0x20);
    cells.push({ text: character, style });
    at += character.length;
  }
  row.cells = cells;
  return cells;
}

function lastStyle(plain: string): string {
  const cells = cellsOf({ plain: `${plain} `, cells: undefined });
  return cells.at(-1)?.style ?? '';
}
