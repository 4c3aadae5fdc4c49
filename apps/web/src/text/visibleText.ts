import { showCommand, showHiddenCharacters } from '@agenthost/protocol';
import { hasHiddenCharacters } from '@agenthost/protocol/internal';
import { SEQUENCE } from '../terminal/terminalScreen.js';

/**
 * An untrusted text for display: escape sequences and control characters are removed, and invisible characters that change the
 * display are written out.
 */
export function visibleText(text: string): string {
  if (!hasHiddenCharacters(text)) return text;
  const shown = text.replace(SEQUENCE, (found) => (/^(?:\r?\n|\t|\r)$/.test(found) ? found : ''));
  return showHiddenCharacters(shown, (name) => `[${name}]`);
}

/** A command, with every character visible. */
export function visibleCommand(text: string): string {
  return showCommand(text, (name) => `[${name}]`);
}
