// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const SEQUENCE = /\x1b\[\?([\d;]{1,64})([hl])|\x1b\[([\d;:]{0,64})m|\x1bc|\x1b\[!p|\x1b([=>])/g;
/** An escape sequence that goes on in the next piece. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const UNFINISHED = /\x1b(?:\[[?!>=]?[\d;:]{0,64}|\][^\x07\x1b]{0,1024})?$/;
const ALTERNATE = ['47', '1047', '1049'];
const MAX_MODES = 64;
const MAX_COLOUR = 256;

/** What a terminal is set to by output that is no longer kept: modes, the other screen, colours. */
export class TerminalModes {
  readonly #modes = new Map<string, boolean>();
  #keypad = '';
  #colour = '';
  /** The beginning of an escape sequence whose end comes next. */
  unfinished = '';

  /** A program draws on the other screen, whose beginning is no longer kept. */
  get isAlternate(): boolean {
    return ALTERNATE.some((mode) => this.#modes.get(mode) === true);
  }

  read(output: string): void {
    const text = this.unfinished + output;
    for (const [whole, modes, set, colour, keypad] of text.matchAll(SEQUENCE)) {
      if (modes !== undefined) for (const mode of modes.split(';')) this.#set(mode, set === 'h');
      else if (colour !== undefined) this.#paint(whole, colour);
      else if (keypad !== undefined) this.#keypad = whole;
      else this.#reset();
    }
    this.unfinished = UNFINISHED.exec(text)?.[0] ?? '';
  }

  /** What puts an empty terminal into this state. */
  get preamble(): string {
    const modes = [...this.#modes].map(([mode, isSet]) => `\x1b[?${mode}${isSet ? 'h' : 'l'}`);
    return `${modes.join('')}${this.#keypad}${this.#colour}`;
  }

  #set(mode: string, isSet: boolean): void {
    if (this.#modes.size < MAX_MODES || this.#modes.has(mode)) this.#modes.set(mode, isSet);
  }

  #paint(whole: string, parameters: string): void {
    const isReset = /^[0;]*$/.test(parameters);
    if (isReset) this.#colour = '';
    else this.#colour = this.#colour.length > MAX_COLOUR ? whole : this.#colour + whole;
  }

  #reset(): void {
    this.#modes.clear();
    this.#keypad = '';
    this.#colour = '';
  }
}
