/** Counted for each piece on top of its bytes: a parser keeps an object for each, also for a piece of one byte. */
const PIECE_COST = 256;
/** Two bytes and a mask. */
const CONTROL_HEADER_BYTES = 6;

/**
 * What a message that was begun and not finished makes the host hold. A parser keeps views of all that was read together with the parts
 * of the message, so control frames between the parts count too, for as long as there is such a message.
 */
export class UnfinishedMessage {
  /** Bytes of the message alone. */
  #unfinishedBytes = 0;
  #heldBytes = 0;

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Before a parser gets it. */
  arrived(piece: Buffer): void {
    this.#unfinishedBytes += piece.length;
    this.#heldBytes += piece.length + PIECE_COST;
  }

  /** It may come between the parts of a message, and is none of them. */
  gotControlFrame(data: Buffer): void {
    this.#unfinishedBytes = Math.max(0, this.#unfinishedBytes - CONTROL_HEADER_BYTES - data.length);
  }

  gotMessage(): void {
    this.#unfinishedBytes = 0;
  }

  /** After a parser had the piece. */
  handled(): void {
    if (this.#unfinishedBytes === 0) this.#heldBytes = 0;
  }
}
