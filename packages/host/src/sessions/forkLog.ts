import { PROTOCOL_VERSION, type SessionAction, type URI } from '@agenthost/protocol';
import type { LogRecord, NewLogRecord, SessionStartRecord } from '../sessionFs/eventLog.js';

export interface ForkTarget {
  readonly source: { readonly uri: URI; readonly sessionId: string; readonly statePath: string };
  readonly session: URI;
  readonly sessionId: string;
  readonly statePath: string;
  readonly createdAt: number;
  /** The last turn that the fork has; every ended one without it. */
  readonly toTurnId?: string;
}

export interface ForkedLog {
  readonly start: Omit<SessionStartRecord, 'v' | 'n' | 'id' | 'at'>;
  readonly records: readonly NewLogRecord[];
  /** The file of the last checkpoint that belongs to what was kept. */
  readonly lastCheckpoint?: string;
  /** Whether something that happened in the source is not in it. */
  readonly isCut: boolean;
  /** The turn after which the log was cut. */
  readonly lastTurnId?: string;
}

/** `undefined` when the source has no such turn. */
export function forkLog(records: readonly LogRecord[], target: ForkTarget): ForkedLog | undefined {
  const start = records.find((record) => record.type === 'session.start');
  const end = boundary(records, target.toTurnId);
  if (!start || end === undefined) return undefined;
  const kept = records.slice(0, end.index + 1).flatMap((record) => forkedRecord(record, target));
  const lastCheckpoint = kept.findLast((record) => record.type === 'session.checkpoint')?.path;
  // A fork is a session of its own, not another chat of the one that its source is a chat of.
  const { group: _group, ...inherited } = start.metadata ?? {};
  const metadata = {
    ...inherited,
    forkedFrom: target.source.uri,
    ...(end.turnId && { forkedAtTurn: end.turnId }),
  };
  const { v: _, n: __, id: ___, at: ____, ...rest } = start;
  return {
    start: {
      ...rest,
      sessionId: target.sessionId,
      createdAt: target.createdAt,
      versions: { log: 1, protocol: PROTOCOL_VERSION },
      metadata,
    },
    records: kept,
    isCut: target.toTurnId !== undefined || end.index < records.length - 1,
    ...(lastCheckpoint !== undefined && { lastCheckpoint }),
    ...(end.turnId !== undefined && { lastTurnId: end.turnId }),
  };
}

/** Where the wanted turn ended, or the last one that has. What came after it did not happen in the fork. */
function boundary(
  records: readonly LogRecord[],
  toTurnId: string | undefined,
): { readonly index: number; readonly turnId?: string } | undefined {
  let active: string | undefined;
  let last: { index: number; turnId: string } | undefined;
  for (const [index, record] of records.entries()) {
    if (record.type !== 'action') continue;
    const { action } = record;
    if (action.type === 'session/turnStarted') active = action.turnId;
    if (!endsTurn(action) || action.turnId !== active) continue;
    last = { index, turnId: action.turnId };
    active = undefined;
    if (action.turnId === toTurnId) return last;
  }
  if (toTurnId !== undefined) return undefined;
  // With no turn running everything is kept, what came after the last turn too: its title, say.
  if (active === undefined) return { index: records.length - 1, ...(last && { turnId: last.turnId }) };
  return last ?? { index: records.findIndex((record) => isAction(record, 'session/ready')) };
}

function forkedRecord(record: LogRecord, target: ForkTarget): NewLogRecord[] {
  switch (record.type) {
    case 'session.start':
      return [];
    case 'session.checkpoint':
      return [{ type: record.type, path: moved(record.path, target) }];
    case 'session.info':
      return [];
    case 'action':
      return forkedAction(record.action, target).map((action) => ({
        type: 'action',
        serverSeq: record.serverSeq,
        action,
      }));
  }
}

/** What waited for the source waits there: a fork must not start running by itself, nor run a message twice. */
function forkedAction(action: SessionAction, target: ForkTarget): SessionAction[] {
  switch (action.type) {
    case 'session/pendingMessageSet':
    case 'session/pendingMessageRemoved':
    case 'session/queuedMessagesReordered':
    case 'session/activityChanged':
      return [];
    case 'session/turnStarted': {
      const { queuedMessageId: _, ...started } = action;
      return [withSession(started, target)];
    }
    default:
      return [withSession(action, target)];
  }
}

/** Also what refers to content of the source: the fork has a copy of it under its own id. */
function withSession(action: SessionAction, { source, session, sessionId }: ForkTarget): SessionAction {
  const provider = session.slice(0, session.indexOf(':'));
  const [from, to] = [`"${provider}://${source.sessionId}/`, `"${provider}://${sessionId}/`];
  const text = JSON.stringify({ ...action, session });
  return JSON.parse(text.includes(from) ? text.replaceAll(from, to) : text) as SessionAction;
}

function moved(path: string, { source, statePath }: ForkTarget): string {
  return path.startsWith(source.statePath) ? `${statePath}${path.slice(source.statePath.length)}` : path;
}

function endsTurn(action: SessionAction): action is Extract<SessionAction, { type: 'session/turnComplete' }> {
  return ['session/turnComplete', 'session/turnCancelled', 'session/error'].includes(action.type);
}

function isAction(record: LogRecord, type: SessionAction['type']): boolean {
  return record.type === 'action' && record.action.type === type;
}
