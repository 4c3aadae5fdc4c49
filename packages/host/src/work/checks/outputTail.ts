import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

/** Escape sequences and lines that were drawn over take room until they are taken out. */
const RAW_FACTOR = 8;

/** The end of what a program prints, of any length, as plain lines. */
export class OutputTail {
  readonly #most: number;
  readonly #decoders: StringDecoder[] = [];
  #raw = '';
  #isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** For one stream: a character may come in two pieces. */
  source(): (piece: Buffer) => void {
    const decoder = new StringDecoder('utf8');
    this.#decoders.push(decoder);
    return (piece) => this.#add(decoder.write(piece));
  }

  end(): { readonly output: string; readonly isCut: boolean } {
    for (const decoder of this.#decoders) this.#add(decoder.end());
    const lines = stripVTControlCharacters(this.#raw)
      .replaceAll('\r\n', '\n')
      .split('\n')
      .map(lastDrawn)
      .join('\n')
      .trimEnd();
    if (lines.length <= this.#most) return { output: lines, isCut: this.#isCut };
    const cut = lines.slice(-this.#most);
    const start = cut.indexOf('\n');
    // One line that is longer than all that is kept.
    const output = start === -1 ? cut.replace(/^[\uDC00-\uDFFF]/, '') : cut.slice(start + 1);
    return { output, isCut: true };
  }

  #add(text: string): void {
    const most = this.#most * RAW_FACTOR;
    this.#raw += text;
    if (this.#raw.length <= 2 * most) return;
    this.#raw = this.#raw.slice(-most);
    this.#isCut = true;
  }
}

/** A progress bar draws over its line; other control characters are for a terminal. */
function lastDrawn(line: string): string {
  const drawn = line.trimEnd().split('\r').at(-1) ?? '';
  // biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is what this is for
  return drawn.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}
