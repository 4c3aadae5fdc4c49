import { showHiddenCharacters } from '@agenthost/protocol';
import { SEQUENCE } from '../terminal/terminalScreen.js';

const SUSPECT =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\u{db40}|[\u{e0000}-\u{e007f}]/u;

/**
 * A text of somebody else's as it may be shown: escape sequences and control characters are taken out, and what can't be seen
 * but changes what is seen is written out, so that a command reads as it runs.
 */
export function visibleText(text: string): string {
  if (!SUSPECT.test(text)) return text;
  const shown = text.replace(SEQUENCE, (found) => (/^(?:\r?\n|\t|\r)$/.test(found) ? found : ''));
  return showHiddenCharacters(shown, (name) => `[${name}]`);
}
