/**
 * What makes a text look like another one: marks that turn the reading direction, characters without a width, separators of lines
 * that no terminal and no page shows as such, annotations, tags. Joiners (U+200C, U+200D) are not among them, because emoji and
 * several scripts need them; nor are the tags that spell a flag, as England's.
 */
const HIDDEN =
  /\u{1f3f4}[\u{e0020}-\u{e007e}]{1,8}\u{e007f}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const FLAG = '\u{1f3f4}';

/**
 * Writes out the characters of a text that can't be seen but change what is seen, so that a command reads as it runs.
 *
 * @example
 * ```ts
 * showHiddenCharacters('rm\u202e', (name) => `[${name}]`); // 'rm[U+202E]'
 * ```
 */
export function showHiddenCharacters(text: string, show: (name: string) => string): string {
  return text.replace(HIDDEN, (found) => (found.startsWith(FLAG) ? found : show(nameOf(found))));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

const SUSPECT = new RegExp(`${CONTROL.source}|${HIDDEN.source}`, 'u');

/** Whether a text has control characters, or some that `showHiddenCharacters` writes out. */
export function hasHiddenCharacters(text: string): boolean {
  return SUSPECT.test(text);
}

/**
 * Returns a command as it runs, for the person who has to allow it. Nothing is removed: an escape sequence, or a return that
 * overwrites the line, is part of a command like any other text, although a terminal would obey it in output.
 *
 * @example
 * ```ts
 * showCommand('rm \u202e', (name) => `[${name}]`); // 'rm [U+202E]'
 * ```
 */
export function showCommand(text: string, show: (name: string) => string): string {
  const written = text.replaceAll('\r\n', '\n').replace(CONTROL, (character) => show(nameOf(character)));
  return showHiddenCharacters(written, show);
}

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
