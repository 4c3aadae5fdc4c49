/** One step of a conversation, as a reader finds it. All texts are untrusted and of any length. */
export type NativeEntry =
  | { readonly kind: 'user'; readonly text: string; readonly id?: unknown; readonly at?: unknown }
  | { readonly kind: 'text' | 'reasoning'; readonly text: string; readonly at?: unknown }
  | { readonly kind: 'notice'; readonly text: string; readonly at?: unknown }
  | {
      readonly kind: 'call';
      readonly id: unknown;
      readonly name: string;
      readonly input: unknown;
      readonly at?: unknown;
    }
  | {
      readonly kind: 'result';
      readonly id: unknown;
      readonly output: string;
      readonly failed?: boolean | undefined;
      readonly exitCode?: number | undefined;
      readonly at?: unknown;
    }
  | {
      readonly kind: 'end';
      readonly state: 'complete' | 'cancelled' | 'error';
      readonly message?: string;
      readonly at?: unknown;
    };

export type Fields = Readonly<Record<string, unknown>>;

/** An object's fields; an empty object for anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text, or the texts of a list of blocks such as `{ type: 'text', text }`. */
export function blockTexts(value: unknown): string {
  if (typeof value === 'string') return value;
  return listOf(value)
    .map((block) => textOf(block) ?? textOf(fieldsOf(block)['text']) ?? '')
    .filter((text) => text !== '')
    .join('\n');
}
