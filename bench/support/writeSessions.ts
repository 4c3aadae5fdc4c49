// State roots as a host leaves them, written with the host's own code but without a host, so that there can be many in seconds.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SessionAction, type SessionSummary, sessionUri, type Turn } from '@agenthost/protocol';
import { SqliteSessionIndex } from '../../packages/host/dist/sessionIndex/sqliteSessionIndex.js';
import { sessionFolder } from '../../packages/host/dist/storage/fs/sessionFolder.js';
import { LOG_BEGINNING, type NewLogRecord } from '../../packages/host/dist/storage/log/eventLog.js';
import { LineBatch } from '../../packages/host/dist/storage/log/lineFormat.js';

/** More than the host remembers searches for, so that none of them is remembered. */
export const FREQUENT_WORDS = Array.from({ length: 12 }, (_, n) => `frequent${n}`);
export const RARE_WORDS = FREQUENT_WORDS.map((_, n) => `seldom${n}`);
const WORDS = Array.from({ length: 5_000 }, (_, n) => `${(n * 7_919).toString(26)}${n.toString(36)}`);
const AT = 1_700_000_000_000;

export function sessionId(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** The index alone, of so many sessions with one turn each; lists and searches look at nothing else. */
export function writeIndex(stateDir: string, sessions: number): void {
  // Before the index: one that is older than the folder of the sessions is looked through at the start.
  mkdirSync(join(stateDir, 'session-state'), { recursive: true, mode: 0o700 });
  const index = new SqliteSessionIndex(join(stateDir, 'index.sqlite'), {
    onError: (error) => {
      throw error;
    },
  });
  for (let n = 0; n < sessions; n++) {
    const summary = summaryOf(n);
    index.put(summary);
    index.putTurn(summary.resource, turnOf(n));
  }
  index.markFilled();
  index.close();
}

/** The folders of so many small sessions, without an index. */
export function writeFolders(stateDir: string, sessions: number): void {
  for (let n = 0; n < sessions; n++) writeLog(stateDir, sessionId(n), 1, 3);
}

/** One session whose log has about that many events, in turns of fifty by default. */
export function writeLongSession(stateDir: string, id: string, events: number, perTurn = 50): void {
  writeLog(stateDir, id, Math.max(1, Math.round(events / perTurn)), perTurn);
}

function writeLog(stateDir: string, id: string, turns: number, eventsPerTurn: number): void {
  const session = sessionUri('mock', id);
  const lines = new LineBatch(LOG_BEGINNING, 64 * 1_024);
  let written = 0;
  const add = (record: NewLogRecord) =>
    lines.add({ stamp: '', fields: JSON.stringify({ id: `e${written++}`, at: AT, ...record }) });
  const act = (action: SessionAction) => add({ type: 'action', serverSeq: written, action });
  add({
    type: 'session.start',
    sessionId: id,
    provider: 'mock',
    cwd: '/',
    versions: { log: 1, protocol: 1 },
    createdAt: AT,
    title: `Session ${id}`,
  });
  act({ type: 'session/ready', session, at: AT });
  for (let n = 0; n < turns; n++) {
    const common = { session, at: AT + n, turnId: `t${n}` };
    const by = { clientId: 'c', name: 'C' };
    act({ ...common, type: 'session/turnStarted', userMessage: { text: textOf(n, 10) }, by });
    act({ ...common, type: 'session/responsePart', part: { kind: 'markdown', id: 'p', content: textOf(n, 20) } });
    for (let k = 3; k < eventsPerTurn; k++)
      act({ ...common, type: 'session/delta', partId: 'p', content: textOf(n + k, 8) });
    act({ ...common, type: 'session/turnComplete' });
  }
  const folder = sessionFolder(stateDir, id);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'events.jsonl'), lines.bytes, { mode: 0o600 });
}

export function summaryOf(n: number): SessionSummary {
  return {
    resource: sessionUri('mock', sessionId(n)),
    provider: 'mock',
    title: `Session ${n} ${textOf(n, 3)}`,
    createdAt: AT,
    modifiedAt: AT + ((n * 7_919) % 1_000_003),
    status: 'idle',
    isRead: n % 3 > 0,
    isArchived: n % 10 === 0,
    workingDirectory: `file:///projects/project${n % 100}`,
  };
}

export function turnOf(n: number): Turn {
  const rare = n % 1_000 === 0 ? RARE_WORDS.join(' ') : '';
  return {
    id: 't',
    userMessage: { text: `${FREQUENT_WORDS.join(' ')} ${textOf(n, 8)} ${rare}` },
    responseParts: [],
    toolCalls: [],
    state: 'complete',
    startedAt: AT,
    endedAt: AT,
  };
}

function textOf(n: number, words: number): string {
  return Array.from({ length: words }, (_, k) => WORDS[(n * 31 + k * k * 17) % WORDS.length]).join(' ');
}
