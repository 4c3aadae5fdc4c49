import { randomUUID } from 'node:crypto';
import type { HostLog } from './hostLog.js';
import type { HostOptions } from './hostOptions.js';
import { ABORT_GRACE_MS } from './sessions/sessionLimits.js';
import type { SessionServices } from './sessions/sessionServices.js';
import { describeDamage } from './storage/log/describeDamage.js';
import { recordIds } from './storage/log/recordIds.js';
import type { StoredLogOptions } from './storage/openStored.js';
import { HOST_VERSION } from './version.js';

const MINUTE = 60_000;

type Settings = Pick<
  SessionServices,
  | 'now'
  | 'newId'
  | 'hostVersion'
  | 'idleMs'
  | 'agentIdleMs'
  | 'abortGraceMs'
  | 'syncContent'
  | 'keepTempFiles'
  | 'maxPastedBytes'
  | 'maxSessionBytes'
  | 'snapshots'
>;

/** The settings of a host's sessions, with defaults. */
export function sessionSettings(options: HostOptions): Settings & { readonly keepTempFiles: boolean } {
  const { env = process.env } = options;
  return {
    now: options.now ?? Date.now,
    newId: options.newId ?? randomUUID,
    hostVersion: HOST_VERSION,
    idleMs: options.sessionIdleMs ?? 10 * MINUTE,
    agentIdleMs: options.agentIdleMs ?? 10 * MINUTE,
    abortGraceMs: options.abortGraceMs ?? ABORT_GRACE_MS,
    syncContent: options.durability === 'fsync',
    keepTempFiles: env['AGENTHOST_KEEP_TEMP_FILES'] === 'true',
    snapshots: options.snapshots ?? 'none',
    ...(options.maxPastedBytes !== undefined && { maxPastedBytes: options.maxPastedBytes }),
    ...(options.maxSessionBytes !== undefined && { maxSessionBytes: options.maxSessionBytes }),
  };
}

/** The settings of their logs. */
export function logSettings(options: HostOptions, log: HostLog): StoredLogOptions {
  return {
    durability: options.durability ?? 'write',
    now: options.now ?? Date.now,
    newId: options.newId ?? recordIds(),
    onDamage: (sessionId, damage) => log.warn(`session ${sessionId}: ${describeDamage(damage)}`),
  };
}
