/** Lines of a diff that belong together. A line begins with ` `, `+`, `-`, or `\` for what git says about the end of a file. */
export interface DiffHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** What git shows beside the hunk, such as the function that it is in. */
  readonly heading?: string;
  readonly lines: readonly string[];
}

export interface DiffPage {
  readonly hunks: readonly DiffHunk[];
  readonly isBinary: boolean;
  /** The number of the first line of the next page. */
  readonly next?: number;
}

export interface DiffPageLimits {
  readonly lines: number;
  readonly characters: number;
  readonly lineLength: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/s;

/** Where a line of a diff is. */
interface Place {
  old: number;
  new: number;
  /** How many lines of the hunk follow. */
  oldLeft: number;
  newLeft: number;
  readonly heading: string;
}

interface OpenHunk {
  oldStart: number;
  newStart: number;
  oldLines: number;
  newLines: number;
  heading: string;
  lines: string[];
}

/** Reads a patch of one file while it arrives, and keeps the lines of one page. */
export class DiffPageReader {
  readonly #from: number;
  readonly #limits: DiffPageLimits;
  readonly #decoder = new TextDecoder('utf-8');
  readonly #hunks: OpenHunk[] = [];
  #rest = '';
  #isRestCut = false;
  /** Where the next line of the diff is, in both files; absent before the first hunk. */
  #at: Place | undefined;
  #hunk: OpenHunk | undefined;
  #line = 0;
  #kept = 0;
  #characters = 0;
  #next: number | undefined;
  #isBinary = false;

  constructor(from: number, limits: DiffPageLimits) {
    this.#from = from;
    this.#limits = limits;
  }

  /** All lines of the page are there: the rest need not be read. */
  get isFull(): boolean {
    return this.#next !== undefined;
  }

  push(piece: Buffer): void {
    if (this.isFull) return;
    const lines = (this.#rest + this.#decoder.decode(piece, { stream: true })).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const [index, line] of lines.entries()) {
      this.#take(index === 0 && this.#isRestCut ? cut(line, this.#limits.lineLength) : line);
      if (index === 0) this.#isRestCut = false;
      if (this.isFull) return;
    }
    // A line without an end is kept up to what is shown of it.
    if (this.#rest.length > this.#limits.lineLength + 1) {
      this.#rest = this.#rest.slice(0, this.#limits.lineLength + 1);
      this.#isRestCut = true;
    }
  }

  end(): DiffPage {
    if (this.#rest !== '' && !this.isFull) this.#take(this.#rest);
    return {
      hunks: this.#hunks.map(({ heading, ...hunk }) => ({ ...hunk, ...(heading !== '' && { heading }) })),
      isBinary: this.#isBinary,
      ...(this.#next !== undefined && { next: this.#next }),
    };
  }

  #take(line: string): void {
    const at = this.#at;
    const isInHunk = at !== undefined && (at.oldLeft > 0 || at.newLeft > 0 || line.startsWith('\\'));
    if (!isInHunk) this.#takeHeader(line);
    else this.#takeLine(line, at);
  }

  #takeHeader(line: string): void {
    const found = HUNK.exec(line);
    if (!found) {
      if (line.startsWith('Binary files ')) this.#isBinary = true;
      return;
    }
    const [, oldStart, oldLines = '1', newStart, newLines = '1', heading = ''] = found;
    this.#hunk = undefined;
    this.#at = {
      old: Number(oldStart),
      new: Number(newStart),
      oldLeft: Number(oldLines),
      newLeft: Number(newLines),
      heading: cut(heading, 200),
    };
  }

  #takeLine(line: string, at: Place): void {
    const mark = line.charAt(0);
    const isOld = mark === '-' || mark === ' ' || mark === '';
    const isNew = mark === '+' || mark === ' ' || mark === '';
    if (this.#line >= this.#from) {
      const shown = cut(line, this.#limits.lineLength);
      const isMore = this.#kept >= this.#limits.lines || this.#characters + shown.length > this.#limits.characters;
      if (isMore && this.#kept > 0) {
        this.#next = this.#line;
        return;
      }
      this.#keep(shown, at, isOld, isNew);
    }
    this.#line++;
    if (isOld) [at.old, at.oldLeft] = [at.old + 1, at.oldLeft - 1];
    if (isNew) [at.new, at.newLeft] = [at.new + 1, at.newLeft - 1];
  }

  #keep(shown: string, at: Place, isOld: boolean, isNew: boolean): void {
    if (!this.#hunk) {
      this.#hunk = { oldStart: at.old, newStart: at.new, oldLines: 0, newLines: 0, heading: at.heading, lines: [] };
      this.#hunks.push(this.#hunk);
    }
    this.#hunk.lines.push(shown);
    if (isOld) this.#hunk.oldLines++;
    if (isNew) this.#hunk.newLines++;
    this.#kept++;
    this.#characters += shown.length;
  }
}

/** Shows that a line goes on. No half of a pair of characters is left at the end. */
function cut(line: string, length: number): string {
  return line.length <= length
    ? line
    : `${line
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}
