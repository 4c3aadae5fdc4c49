/** How much of the last words is kept; an error that is longer is not recognised. */
const MAX_CHARS = 4_000;
const PREFIX = 'API Error: ';

/** What an agent said of a failed request to its model. */
export interface SaidError {
  /** The HTTP status, where it was said. */
  readonly status: number | undefined;
  readonly isRateLimit: boolean;
}

/**
 * Some agents end a turn as a success after they wrote "API Error: 429 …" where an answer should be. Only such words that no model
 * can have written count, or that have the exact form of a forwarded error (docs/adr/0151).
 */
export class LastWords {
  #text = '';

  add(text: string): void {
    if (this.#text.length <= MAX_CHARS) this.#text += text.slice(0, MAX_CHARS + 1);
  }

  /** Something else came after them. */
  restart(): void {
    this.#text = '';
  }

  /** `outputTokens`: how many the model wrote in this turn, as far as the agent says. */
  error(outputTokens: number | undefined): SaidError | undefined {
    const text = this.#text.trim();
    const said = forwardedError(text);
    if (said || outputTokens !== 0 || !text.startsWith(PREFIX) || text.length > MAX_CHARS) return said;
    const status = /^API Error: (?:Request rejected \()?([45]\d\d)\b/.exec(text)?.[1];
    const isRateLimit = status === '429' || (status === undefined && /\brate.?limit/i.test(text));
    return { status: status === undefined ? undefined : Number(status), isRateLimit };
  }
}

/** A text that is nothing but "API Error: ", a status and the JSON of an error. */
export function forwardedError(text: string): SaidError | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const [, status, json] = /^API Error: ([45]\d\d) (\{[\s\S]*\})$/.exec(text.trim()) ?? [];
  if (status === undefined || json === undefined) return undefined;
  try {
    const { error } = JSON.parse(json) as { readonly error?: unknown };
    if (typeof error !== 'object' || error === null) return undefined;
    return { status: Number(status), isRateLimit: status === '429' };
  } catch {
    return undefined;
  }
}
