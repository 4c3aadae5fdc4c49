import { showCommand, showHiddenCharacters } from '@agenthost/protocol';
import { hasHiddenCharacters } from '@agenthost/protocol/internal';
import { SEQUENCE } from '../terminal/terminalScreen.js';

/**
 * A text of somebody else's as it may be shown: escape sequences and control characters are taken out, and what can't be seen
 * but changes what is seen is written out.
 */
export function visibleText(text: string): string {
  if (!hasHiddenCharacters(text)) return text;
  const shown = text.replace(SEQUENCE, (found) => (/^(?:\r?\n|\t|\r)$/.test(found) ? found : ''));
  return showHiddenCharacters(shown, (name) => `[${name}]`);
}

/** A command, every character of it. */
export function visibleCommand(text: string): string {
  return showCommand(text, (name) => `[${name}]`);
}
