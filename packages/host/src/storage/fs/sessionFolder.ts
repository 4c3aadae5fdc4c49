import { basename, join } from 'node:path';
import { isSessionId } from '@agenthost/protocol/internal';
import { SessionFsFailure } from './sessionFs.js';

export const SESSION_STATE_FOLDER = 'session-state';

/** The folder of a session in the state root. Refuses an invalid session id, so that no id becomes another path. */
export function sessionFolder(stateRoot: string, sessionId: string): string {
  if (!isSessionId(sessionId)) throw new SessionFsFailure('EINVAL', `not a session id: ${JSON.stringify(sessionId)}`);
  return join(stateRoot, SESSION_STATE_FOLDER, sessionId);
}

/** On a file system that ignores case, the folder that was found may be another session's. */
export function assertSameCase(realFolder: string, sessionId: string): void {
  const name = basename(realFolder);
  if (name === sessionId || name.toLowerCase() !== sessionId.toLowerCase()) return;
  throw new SessionFsFailure(
    'EEXIST',
    `there is a session ${name}, whose id differs only by the case of its letters, and this file system takes both for one; choose another id`,
  );
}
