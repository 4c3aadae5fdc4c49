import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type SessionAction, sessionUri } from '@agenthost/protocol';
import { LocalSessionFs } from '../../../packages/host/src/storage/fs/localSessionFs.js';
import { sessionFolder } from '../../../packages/host/src/storage/fs/sessionFolder.js';
import { JsonlEventLog } from '../../../packages/host/src/storage/log/jsonlEventLog.js';

const THOUGHT_BYTES = 64 * 1024;

export interface LargeLog {
  readonly uri: string;
  readonly path: string;
  readonly size: number;
  readonly turns: number;
}

/** Writes the log of a session of the mock agent, of at least that size, with the host's own code. Turn `n` has the id `t<n>`. */
export async function writeLargeLog(stateDir: string, sessionId: string, bytes: number): Promise<LargeLog> {
  const fs = await LocalSessionFs.open({ stateRoot: stateDir, sessionId });
  const log = await JsonlEventLog.open({ fs });
  const session = sessionUri('mock', sessionId);
  let serverSeq = 0;
  let turns = 0;
  const add = (action: DistributiveOmit<SessionAction, 'session' | 'at'>) => {
    serverSeq++;
    log.append({ type: 'action', serverSeq, action: { ...action, session, at: serverSeq } as SessionAction });
  };
  log.append({
    type: 'session.start',
    sessionId,
    provider: 'mock',
    cwd: stateDir,
    versions: { log: 1, protocol: 1 },
    createdAt: 1,
  });
  add({ type: 'session/ready' });
  // Most of it is reasoning, which is not searched: the time would go into the index.
  const thought = 'the quick brown fox jumps over the lazy dog; ä🦊 '.repeat(THOUGHT_BYTES / 52);
  while (log.size + log.bufferedBytes < bytes) {
    const turnId = `t${turns++}`;
    add({ type: 'session/turnStarted', turnId, userMessage: { text: `question number${turns - 1}` } });
    add({ type: 'session/responsePart', turnId, part: { kind: 'reasoning', id: 'r', content: '' } });
    add({ type: 'session/reasoning', turnId, partId: 'r', content: thought });
    add({ type: 'session/responsePart', turnId, part: { kind: 'markdown', id: 'm', content: `answer ${turns}` } });
    add({ type: 'session/turnComplete', turnId });
    if (log.bufferedBytes > 4 * 1024 * 1024) await log.flush();
  }
  await log.close();
  await fs.dispose();
  return { uri: session, path: join(sessionFolder(stateDir, sessionId), 'events.jsonl'), size: log.size, turns };
}

/** Overwrites that many bytes of a file, in pieces. */
export async function overwrite(path: string, at: number, bytes: number, piece: Uint8Array): Promise<void> {
  const file = await open(path, 'r+');
  try {
    for (let done = 0; done < bytes; done += piece.length) {
      await file.write(piece, 0, Math.min(piece.length, bytes - done), at + done);
    }
  } finally {
    await file.close();
  }
}

type DistributiveOmit<T, K extends string> = T extends unknown ? Omit<T, K> : never;
