import { ERROR_CODE, PROTOCOL_VERSION, type SessionAction, type URI } from '@agenthost/protocol';
import type { TurnStartedAction } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { EventLog, LogRecord, NewLogRecord, SessionStartRecord } from '../../storage/log/eventLog.js';
import { derivedTitle } from '../turn/derivedTitle.js';

export interface ForkTarget {
  readonly source: { readonly uri: URI; readonly sessionId: string; readonly statePath: string };
  readonly session: URI;
  readonly sessionId: string;
  readonly statePath: string;
  readonly createdAt: number;
  /** Set when the conversation goes to another agent: its provider. */
  readonly handOverTo?: string;
  /** The session that the fork is another chat of. */
  readonly group?: URI;
  /** The title that a user gave the fork. */
  readonly title?: string;
}

/** The point up to which the fork has the source's log. */
export interface ForkPoint {
  readonly start: SessionStartRecord;
  /** The number of the last record. */
  readonly lastN: number;
  /** The last ended turn. */
  readonly lastTurnId?: string;
  /** From the first message with text of an ended turn. */
  readonly derivedTitle?: string;
  /** The file of the last compaction summary, in the source. */
  readonly lastCheckpoint?: string;
  /** Whether the source's log continues after it. */
  readonly isCut: boolean;
}

/**
 * The end of the wanted turn, or of the last ended one. The fork has nothing after it. `undefined` if the source has no such turn.
 */
export async function findForkPoint(
  records: AsyncIterable<LogRecord>,
  toTurnId: string | undefined,
): Promise<ForkPoint | undefined> {
  let start: SessionStartRecord | undefined;
  let active: TurnStartedAction | undefined;
  let here: Omit<ForkPoint, 'start' | 'isCut'> = { lastN: 0 };
  let [ready, ended] = [here, undefined as typeof here | undefined];
  const ends: string[] = [];
  for await (const record of records) {
    here = { ...here, lastN: record.n };
    if (record.type === 'session.start') start ??= record;
    if (record.type === 'session.checkpoint') here = { ...here, lastCheckpoint: record.path };
    if (record.type !== 'action') continue;
    const { action } = record;
    if (action.type === 'session/ready' && ready.lastN === 0) ready = here;
    if (action.type === 'session/turnStarted') active = action;
    if (action.type === 'session/truncated') {
      ends.splice(action.turns);
      const { lastTurnId: _, ...rest } = here;
      const lastTurnId = ends.at(-1);
      here = { ...rest, ...(lastTurnId !== undefined && { lastTurnId }) };
      ended = here;
    }
    if (!endsTurn(action) || action.turnId !== active?.turnId) continue;
    const title = here.derivedTitle ?? derivedTitle(active.userMessage);
    here = { ...here, lastTurnId: action.turnId, ...(title && { derivedTitle: title }) };
    ended = here;
    ends.push(action.turnId);
    active = undefined;
    if (action.turnId === toTurnId) break;
  }
  const isWanted = toTurnId === undefined || ended?.lastTurnId === toTurnId;
  if (!start || !isWanted) return undefined;
  // When no turn runs, everything is kept, also changes after the last turn such as a title.
  if (active === undefined && toTurnId === undefined) return { start, ...here, isCut: false };
  return { start, ...(ended ?? ready), isCut: true };
}

/** Copies record by record: a log may be larger than the memory. Returns the number of the last action. */
export async function copyLog(
  records: AsyncIterable<LogRecord>,
  log: EventLog,
  point: ForkPoint,
  target: ForkTarget,
): Promise<number> {
  let [serverSeq, copied] = [0, 0];
  log.append(forkedStart(point, target));
  for await (const record of records) {
    if (record.n > point.lastN) break;
    copied = record.n;
    for (const kept of forkedRecord(record, target)) {
      log.append(kept);
      if (kept.type === 'action') serverSeq = kept.serverSeq;
    }
    if (log.isFull) await log.drained();
  }
  if (copied === point.lastN) return serverSeq;
  throw new RpcError(ERROR_CODE.internalError, 'the session changed while it was copied; fork it again');
}

function forkedStart(
  { start, lastTurnId }: ForkPoint,
  target: ForkTarget,
): Omit<SessionStartRecord, 'v' | 'n' | 'id' | 'at'> {
  // Unless its maker wants that, a fork is a session of its own: not another chat in the group of its source, and none of several.
  const { group: _group, several: _several, ...inherited } = start.metadata ?? {};
  const { v: _, n: __, id: ___, at: ____, title: _____, provisional: ______, ...all } = start;
  // Another agent has other models and modes.
  const { model, config, ...shared } = all;
  const isHandedOver = target.handOverTo !== undefined;
  return {
    ...(isHandedOver ? { ...shared, provider: target.handOverTo } : all),
    ...(target.title !== undefined && { title: target.title }),
    sessionId: target.sessionId,
    createdAt: target.createdAt,
    versions: { log: 1, protocol: PROTOCOL_VERSION },
    metadata: {
      ...inherited,
      ...(target.group !== undefined && { group: target.group }),
      forkedFrom: target.source.uri,
      ...(isHandedOver && { handedOverFrom: target.source.uri }),
      ...(lastTurnId !== undefined && { forkedAtTurn: lastTurnId }),
    },
  };
}

/** A record of the source as the fork's log has it; `undefined` if it has none. */
function forkedRecord(record: LogRecord, target: ForkTarget): NewLogRecord[] {
  switch (record.type) {
    case 'session.start':
      return [];
    case 'session.checkpoint':
      return [{ type: record.type, path: rebasePath(record.path, target) }];
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

/**
 * Waiting messages, review comments, tests and picks stay with the source: a fork must not start by itself, nor run a message twice.
 * It has its own title from the beginning.
 */
function forkedAction(action: SessionAction, target: ForkTarget): SessionAction[] {
  switch (action.type) {
    case 'session/pendingMessageSet':
    case 'session/pendingMessageRemoved':
    case 'session/queuedMessagesReordered':
    case 'session/activityChanged':
    case 'session/commentSet':
    case 'session/commentRemoved':
    case 'session/commentResolved':
    case 'session/pickChanged':
    case 'session/testsChanged':
    case 'session/titleChanged':
      return [];
    case 'session/modelChanged':
    case 'session/modeChanged':
    case 'session/settingChosen':
    case 'session/settingsChanged':
    case 'session/customizationsChanged':
    case 'session/customizationToggled':
      return target.handOverTo === undefined ? [withSession(action, target)] : [];
    case 'session/turnStarted': {
      const { queuedMessageId: _, comments: __, ...started } = action;
      return [withSession(started, target)];
    }
    default:
      return [withSession(action, target)];
  }
}

/** Also rewrites references to the source's content: the fork has a copy under its own id. */
function withSession(action: SessionAction, { source, session, sessionId }: ForkTarget): SessionAction {
  const providerOf = (uri: URI) => uri.slice(0, uri.indexOf(':'));
  const from = `"${providerOf(source.uri)}://${source.sessionId}/`;
  const to = `"${providerOf(session)}://${sessionId}/`;
  const text = JSON.stringify({ ...action, session });
  return JSON.parse(text.includes(from) ? text.replaceAll(from, to) : text) as SessionAction;
}

/** Translates a path below the state folder of the source into the same path below that of the fork. */
export function rebasePath(path: string, { source, statePath }: ForkTarget): string {
  return path.startsWith(source.statePath) ? `${statePath}${path.slice(source.statePath.length)}` : path;
}

function endsTurn(action: SessionAction): action is Extract<SessionAction, { type: 'session/turnComplete' }> {
  return ['session/turnComplete', 'session/turnCancelled', 'session/error'].includes(action.type);
}
