import type { DeviceTokens } from '../server/access/deviceTokens.js';
import type { SessionFs } from '../storage/fs/sessionFs.js';

/** A state folder or a database, held by this process alone while sessions are copied from or to it. */
export interface MoveSide {
  /** For messages: never with a password. */
  readonly name: string;
  readonly tokens: DeviceTokens;
  readonly trust: { list(): Promise<readonly string[]>; trust(folder: string): Promise<void> };
  listSessions(): AsyncIterable<string>;
  hasSession(sessionId: string): Promise<boolean>;
  /** The files of a session that is there. */
  openSession(sessionId: string): Promise<SessionFiles>;
  /** The files of a new session of that space. What an interrupted copy has left under this id is removed. */
  createSession(sessionId: string, space: string | undefined): Promise<SessionFiles>;
  spaceOf(sessionId: string): Promise<string | undefined>;
  /** No host gives out a number up to this one from now on. */
  raiseSequence(atLeast: number): Promise<void>;
  /** Hosts that began to use it meanwhile, although nobody may. */
  intruders(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface SessionFiles {
  readonly fs: SessionFs;
  /** When the file was changed last, in milliseconds since 1970. */
  setTime(path: string, time: number): Promise<void>;
  /** Rejects when another host has taken the session since it was opened. */
  assertOwned(): Promise<void>;
}

/** A state folder or a database can't be used for a move: what happened, and what to do. */
export class MoveError extends Error {
  readonly what: string;
  readonly whatToDo: string;

  constructor(what: string, whatToDo: string, options?: ErrorOptions) {
    super(`${what} ${whatToDo}`, options);
    this.name = 'MoveError';
    this.what = what;
    this.whatToDo = whatToDo;
  }
}
