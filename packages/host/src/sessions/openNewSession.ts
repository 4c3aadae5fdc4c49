import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { SessionStorage, StoredSession } from '../storage/sessionStorage.js';

export interface OpenNewOptions {
  readonly storage: SessionStorage;
  readonly session: URI;
  readonly sessionId: string;
  /** Its log is there when it is closed, and not before. */
  readonly isDraft?: boolean;
  /** Removes what was made of the session. */
  readonly discard: (sessionId: string) => Promise<void>;
}

/** Makes the files of a session that there isn't yet, and fills them. When that fails, nothing of it is left. */
export async function openNewSession(
  { storage, session, sessionId, isDraft = false, discard }: OpenNewOptions,
  fill: (stored: StoredSession) => Promise<void>,
): Promise<StoredSession> {
  let stored: StoredSession | undefined;
  try {
    stored = await storage.open(sessionId, { create: true, isDraft });
    if (!stored) throw new RpcError(ERROR_CODE.sessionAlreadyExists, `session ${session} already exists`);
    await fill(stored);
    return stored;
  } catch (error) {
    // A log that could not be written tries again later, into the file of whoever has the name then, unless it is closed.
    await stored?.log.close().catch(() => undefined);
    await stored?.fs.dispose();
    await discard(sessionId);
    throw error;
  }
}
