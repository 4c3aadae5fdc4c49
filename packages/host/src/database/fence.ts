import { SessionFsFailure } from '../storage/fs/sessionFs.js';

/** Who may write a session's rows. Another host that takes the session changes both numbers, and every later write does nothing (FEN1). */
export interface Fence {
  readonly sessionId: string;
  readonly epoch: string;
  readonly claim: string;
}

/** The first parameters of every statement that writes for a session. */
export function fenceValues({ sessionId, epoch, claim }: Fence): readonly string[] {
  return [sessionId, epoch, claim];
}

/** Holds the session's row until the end of the statement, so that nobody takes the session while it writes. */
export const FENCED = 's as (select 1 from session_all where id = $1 and epoch = $2 and claim = $3 for share)';

/** Another host has taken the session. Nothing was written. */
export class FencedFailure extends SessionFsFailure {
  constructor(sessionId: string) {
    super('FENCED', `another host has taken the session ${sessionId}; nothing was written`);
    this.name = 'FencedFailure';
  }
}
