// Generated from the schemas by `npm run schemas`. Do not edit.

import type { Author } from './common.js';

/** A client that confirms too little gets a whole screen, later, in place of what it missed. */
export interface ConfirmTerminalParams {
  readonly terminal: string;
  /** Behind the last output that the client has shown. */
  readonly offset: number;
}

export interface CreateTerminalParams {
  readonly session: string;
  readonly columns: number;
  readonly rows: number;
}

export interface ListTerminalsParams {
  readonly session: string;
}

export interface ListTerminalsResult {
  /** Oldest first. */
  readonly items: readonly SharedTerminal[];
}

export interface SendToTerminalParams {
  readonly terminal: string;
  /** Counts up for each client; what has arrived already is not typed again. */
  readonly seq: number;
  /** What was typed. */
  readonly data?: string;
  /** The data is the terminal's own answer to its program. It counts only from who typed last. */
  readonly isReply?: true;
  /** Takes the keyboard from whoever types. */
  readonly take?: true;
  /** The size of this client's window from now on. */
  readonly size?: { readonly columns: number; readonly rows: number };
}

export interface SendToTerminalResult {
  /** False while somebody else types: take the keyboard, or wait. */
  readonly isTyped: boolean;
}

/** A terminal of the host that the clients of a session share. */
export interface SharedTerminal {
  /** `agenthost:terminal/<id>` */
  readonly terminal: string;
  readonly session: string;
  /** Ready to display. */
  readonly title: string;
  readonly columns: number;
  readonly rows: number;
  readonly createdAt: number;
  readonly keyboard: TerminalKeyboard;
  /** There when its program has ended; 128 and more for a signal. */
  readonly exitCode?: number;
}

/** Who typed last. The size of its window is the size of the terminal. */
export interface TerminalKeyboard {
  readonly by: Author;
  /** Others have to take the keyboard. False after five seconds without a key. */
  readonly isTyping: boolean;
}

export interface TerminalParams {
  readonly terminal: string;
}

export interface TerminalScreen {
  readonly terminal: SharedTerminal;
  /** To be written into an empty terminal: the newest output, beginning with a reset. */
  readonly screen: string;
  /** Of the output that comes next. */
  readonly offset: number;
  /** The newest input of this client that has arrived; it counts on from there. */
  readonly seq: number;
}
