import type { TextEdit } from './textEdit.js';

export type Focus = 'list' | 'composer' | 'prompt';

export type Dialog =
  | { readonly kind: 'help' }
  | { readonly kind: 'search'; readonly edit: TextEdit }
  | { readonly kind: 'rename'; readonly edit: TextEdit }
  | { readonly kind: 'delete'; readonly title: string }
  /** The command of a confirmation, or the answer to a question, being typed. */
  | { readonly kind: 'command' | 'answer'; readonly edit: TextEdit }
  /** All of what a call would be given. */
  | { readonly kind: 'input'; readonly text: string; readonly from: number }
  | { readonly kind: 'new'; readonly agent: number; readonly folder: TextEdit };

/** What this terminal shows; nothing of it is the sessions' own. */
export interface UiState {
  readonly focus: Focus;
  readonly isListHidden: boolean;
  /** The line of the list that is chosen. */
  readonly selected: number;
  /** What is in that line: it may move. */
  readonly selectedId?: string;
  /** How many lines of the conversation are below the screen; 0 follows the newest. */
  readonly scrolledUp: number;
  readonly composer: TextEdit;
  /** The queued message that the composer changes. */
  readonly editing?: string;
  readonly dialog?: Dialog;
  /** Said once, until the next key. */
  readonly notice?: { readonly text: string; readonly isError: boolean };
}
