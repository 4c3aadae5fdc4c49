import { errorMessage } from '@agenthost/protocol/internal';
import { DEFAULT_LEASE_MS } from '../cluster/cluster.js';
import { type HostLog, silentLog } from '../hostLog.js';
import type { AdoptedTokens } from '../server/access/deviceTokens.js';
import { copySession } from './copySession.js';
import { openDatabaseSide } from './databaseSide.js';
import { openFolderSide } from './folderSide.js';
import { MoveError, type MoveSide } from './moveSide.js';

export interface MoveOptions {
  /** A state folder, or the address of a database. */
  readonly from: string;
  readonly to: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The place of sessions and trusted folders in a database; defaults to this machine's name. */
  readonly place?: string;
  /** How long a host may be silent. */
  readonly leaseMs?: number;
  readonly signal?: AbortSignal;
  readonly log?: HostLog;
  /** Waits for hosts that don't beat, to be sure that they have ended. */
  readonly onWaiting?: (hosts: readonly string[]) => void;
  readonly onProgress?: (done: number, total: number) => void;
}

export interface MoveReport {
  readonly copied: number;
  /** Were there already, with the same bytes. */
  readonly same: number;
  /** Are there with other bytes; nothing of them was changed. */
  readonly refused: readonly { readonly sessionId: string; readonly file: string }[];
  /** Could not be copied. */
  readonly failed: readonly { readonly sessionId: string; readonly reason: string }[];
  readonly tokens: AdoptedTokens;
  readonly trusted: number;
  /** Hosts that began to use either side meanwhile. */
  readonly intruders: readonly string[];
}

/** Sessions that are copied at the same time. */
const AT_ONCE = 4;
const DATABASE = /^postgres(?:ql)?:\/\//;

export function isDatabaseAddress(where: string): boolean {
  return DATABASE.test(where);
}

/**
 * Copies all sessions, device tokens and trusted folders from one place to another. The source stays as it is. May be interrupted
 * and run again. Rejects with a `MoveError` or a `DatabaseError` when one of them can't be used.
 */
export async function moveState(options: MoveOptions): Promise<MoveReport> {
  const { from, to, signal = new AbortController().signal } = options;
  if (from === to) throw new MoveError('Both sides are the same.', 'Give another --to.');
  const sides: MoveSide[] = [];
  const folders: string[] = [];
  const open = async (where: string, create: boolean) => {
    const side = await openSide(where, create, { ...options, signal }, folders[0]);
    if (!isDatabaseAddress(where)) folders.push(side.name);
    sides.push(side);
    return side;
  };
  try {
    // Folders first: their locks tell a database that an earlier run has ended.
    if (isDatabaseAddress(from)) {
      const target = await open(to, true);
      return await copyAll(await open(from, false), target, signal, options.onProgress);
    }
    return await copyAll(await open(from, false), await open(to, true), signal, options.onProgress);
  } finally {
    for (const side of sides.reverse()) await side.close();
  }
}

function openSide(
  where: string,
  create: boolean,
  options: MoveOptions & { readonly signal: AbortSignal },
  heldFolder: string | undefined,
): Promise<MoveSide> {
  const { env, signal, place, leaseMs = DEFAULT_LEASE_MS, log = silentLog, onWaiting = () => undefined } = options;
  if (!isDatabaseAddress(where)) return openFolderSide(where, { create, log });
  return openDatabaseSide({
    url: where,
    env,
    leaseMs,
    log,
    onWaiting,
    signal,
    ...(place !== undefined && { place }),
    ...(heldFolder !== undefined && { heldFolder }),
  });
}

async function copyAll(
  from: MoveSide,
  to: MoveSide,
  signal: AbortSignal,
  onProgress: MoveOptions['onProgress'],
): Promise<MoveReport> {
  const ids: string[] = [];
  for await (const id of from.listSessions()) ids.push(id);
  const refused: { sessionId: string; file: string }[] = [];
  const failed: { sessionId: string; reason: string }[] = [];
  let [begun, copied, same] = [0, 0, 0];
  const waiting = ids.values();
  const copyNext = async () => {
    for (const sessionId of waiting) {
      signal.throwIfAborted();
      onProgress?.(begun++, ids.length);
      // One that can't be read must not keep the others.
      const outcome = await copySession(sessionId, from, to, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        return { failed: errorMessage(error) };
      });
      if (outcome === 'copied') copied++;
      else if (outcome === 'same') same++;
      else if ('failed' in outcome) failed.push({ sessionId, reason: outcome.failed });
      else refused.push({ sessionId, file: outcome.differs });
    }
  };
  // All have ended before the sides are given up.
  const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, copyNext));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  const tokens = await to.tokens.adopt(await from.tokens.list());
  const trusted = await from.trust.list();
  for (const folder of trusted) await to.trust.trust(folder);
  const intruders = [...(await from.intruders()), ...(await to.intruders())];
  return { copied, same, refused, failed, tokens, trusted: trusted.length, intruders };
}
