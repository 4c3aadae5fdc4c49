import type { Key } from 'ink';
import { safeText } from '../text/safeText.js';
import { backspace, deleteForward, deleteToLineStart, deleteWord, insert, move, type TextEdit } from './textEdit.js';

/** The text after a key; `undefined` for one that is not for editing. */
export function editKey(edit: TextEdit, input: string, key: Key): TextEdit | undefined {
  if (key.backspace) return key.meta ? deleteWord(edit) : backspace(edit);
  if (key.delete) return deleteForward(edit);
  if (key.leftArrow) return move(edit, 'left');
  if (key.rightArrow) return move(edit, 'right');
  if (key.upArrow) return move(edit, 'up');
  if (key.downArrow) return move(edit, 'down');
  if (key.home || (key.ctrl && input === 'a')) return move(edit, 'lineStart');
  if (key.end || (key.ctrl && input === 'e')) return move(edit, 'lineEnd');
  if (key.ctrl && input === 'w') return deleteWord(edit);
  if (key.ctrl && input === 'u') return deleteToLineStart(edit);
  if (key.ctrl || key.meta || key.escape || key.tab || key.pageUp || key.pageDown || input === '') return undefined;
  return insert(edit, pasted(input));
}

/** Pasted data is always text. */
export function pasted(text: string): string {
  return safeText(text.replaceAll('\r\n', '\n').replaceAll('\r', '\n'));
}
