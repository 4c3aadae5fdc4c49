const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const INITIAL_CAPACITY = 4096;

export interface LineSplitterOptions {
  readonly maxLineBytes: number;
  /** The bytes are only valid during the call. Never empty: blank lines are skipped. */
  readonly onLine: (line: Uint8Array) => void;
  /** Called once for a line over the limit, as soon as it is over it: its end may never come. */
  readonly onOversizeLine: () => void;
}

/** Cuts chunks of bytes into lines, and never holds more than one line up to the limit. */
export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #kept = new Uint8Array(0);
  #keptLength = 0;
  #discarding = false;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (;;) {
      // Blank lines are skipped at once: a hostile sender may send nothing else.
      if (this.#keptLength === 0 && !this.#discarding) while (chunk[start] === NEWLINE) start++;
      const newline = chunk.indexOf(NEWLINE, start);
      if (newline === -1) break;
      const rest = chunk.subarray(start, newline);
      start = newline + 1;
      if (this.#keptLength === 0 && !this.#discarding) {
        this.#emit(rest);
      } else {
        this.#keep(rest);
        this.end();
      }
    }
    this.#keep(chunk.subarray(start));
  }

  /** The end of a line: also that of a last one without a newline. */
  end(): void {
    const line = this.#kept.subarray(0, this.#keptLength);
    const wasReported = this.#discarding;
    this.#keptLength = 0;
    this.#discarding = false;
    if (!wasReported) this.#emit(line);
  }

  #emit(line: Uint8Array): void {
    const length = line.at(-1) === CARRIAGE_RETURN ? line.length - 1 : line.length;
    if (length > this.#options.maxLineBytes) this.#options.onOversizeLine();
    else if (length > 0) this.#options.onLine(line.subarray(0, length));
  }

  #keep(bytes: Uint8Array): void {
    if (this.#discarding || bytes.length === 0) return;
    const length = this.#keptLength + bytes.length;
    // One more than the limit, for a carriage return that doesn't count.
    if (length > this.#options.maxLineBytes + 1) {
      this.#discarding = true;
      this.#kept = new Uint8Array(0);
      this.#keptLength = 0;
      this.#options.onOversizeLine();
      return;
    }
    if (length > this.#kept.length) {
      // Doubled, because a line that comes byte by byte would otherwise be copied for each of them.
      const grown = new Uint8Array(Math.max(length, this.#kept.length * 2, INITIAL_CAPACITY));
      grown.set(this.#kept.subarray(0, this.#keptLength));
      this.#kept = grown;
    }
    this.#kept.set(bytes, this.#keptLength);
    this.#keptLength = length;
  }
}
