/**
 * Splits git's output with `-z` while it arrives. Each character of a part is one byte, so that names in any encoding stay what they
 * are; `readable` makes text of them.
 */
export class ZeroSplitter {
  readonly #onPart: (part: string) => void;
  #rest = '';

  constructor(onPart: (part: string) => void) {
    this.#onPart = onPart;
  }

  push(piece: Buffer): void {
    const parts = (this.#rest + piece.toString('latin1')).split('\0');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) this.#onPart(part);
  }
}

/** The text of a name of bytes. What is no UTF-8 is replaced. */
export function readable(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A path that a client sent, as bytes. */
export function asBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
