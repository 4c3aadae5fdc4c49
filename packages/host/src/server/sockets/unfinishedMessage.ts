/** Counted for each piece on top of its bytes: a parser keeps an object per piece, also for one byte. */
const PIECE_COST = 256;
/** Two bytes and a mask. */
const CONTROL_HEADER_BYTES = 6;

/**
 * Measures what an unfinished message makes the host hold. A parser keeps views of all that was read together with the parts of
 * the message, so control frames between the parts count too while such a message exists.
 */
export class UnfinishedMessage {
  /** Bytes of the message itself. */
  #unfinishedBytes = 0;
  #heldBytes = 0;

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Called before a parser gets it. */
  arrived(piece: Buffer): void {
    this.#unfinishedBytes += piece.length;
    this.#heldBytes += piece.length + PIECE_COST;
  }

  /** It may come between the parts of a message without being one of them. */
  gotControlFrame(data: Buffer): void {
    this.#unfinishedBytes = Math.max(0, this.#unfinishedBytes - CONTROL_HEADER_BYTES - data.length);
  }

  gotMessage(): void {
    this.#unfinishedBytes = 0;
  }

  /** Called after a parser had the piece. */
  handled(): void {
    if (this.#unfinishedBytes === 0) this.#heldBytes = 0;
  }
}
