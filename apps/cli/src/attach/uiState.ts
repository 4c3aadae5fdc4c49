import type { Prompt } from '../turn/prompt.js';
import type { FormDialog } from './formKeys.js';
import type { TextEdit } from './textEdit.js';

export type Focus = 'list' | 'composer' | 'prompt';

export type Dialog =
  | FormDialog
  | { readonly kind: 'help' }
  | { readonly kind: 'search'; readonly edit: TextEdit }
  | { readonly kind: 'rename'; readonly edit: TextEdit }
  | { readonly kind: 'delete'; readonly title: string }
  /** The edited command of a confirmation, or the answer to a question, for that prompt only. */
  | { readonly kind: 'command' | 'answer'; readonly edit: TextEdit; readonly prompt: Prompt }
  /** What is typed into the running command. */
  | { readonly kind: 'input'; readonly edit: TextEdit; readonly toolCallId: string }
  | { readonly kind: 'new'; readonly agent: number; readonly folder: TextEdit };

/** State of this terminal only, not of the sessions. */
export interface UiState {
  readonly focus: Focus;
  readonly isListHidden: boolean;
  /** The chosen line of the list. */
  readonly selected: number;
  /** The item in that line, which may move. */
  readonly selectedId?: string;
  /** How many lines of the conversation are below the screen; 0 follows the newest. */
  readonly scrolledUp: number;
  /** How far a long prompt was scrolled, and how many of its lines were on the screen. */
  readonly asked?: { readonly key: string; readonly top: number; readonly seen: number };
  readonly composer: TextEdit;
  /** The question that the user does not want to answer now, with Esc: keys are for the composer again. */
  readonly setAside?: Prompt;
  /** The queued message that is edited in the composer. */
  readonly editing?: string;
  readonly dialog?: Dialog;
  /** A message that is shown until the next key. */
  readonly notice?: { readonly text: string; readonly isError: boolean };
}
