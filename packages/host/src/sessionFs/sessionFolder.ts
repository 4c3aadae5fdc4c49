import { join } from 'node:path';
import { isSessionId } from '@agenthost/protocol';
import { SessionFsFailure } from './sessionFs.js';

export const SESSION_STATE_FOLDER = 'session-state';

/** Where the state root keeps a session. Refuses what isn't a session id, so that no id ever becomes another path. */
export function sessionFolder(stateRoot: string, sessionId: string): string {
  if (!isSessionId(sessionId)) throw new SessionFsFailure('EINVAL', `not a session id: ${JSON.stringify(sessionId)}`);
  return join(stateRoot, SESSION_STATE_FOLDER, sessionId);
}
