import { capabilitiesOf, ERROR_CODE, type URI } from '@agenthost/protocol';
import type { FailedSubscription } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import type { HostLog } from '../hostLog.js';
import type { LoadFailures } from './loadFailures.js';
import { storageError } from './storageError.js';

export interface LookUpOptions {
  readonly failures: LoadFailures;
  readonly protocolVersion: number;
  /** Whether the client still waits for it. */
  readonly isWanted?: () => boolean;
  readonly log: HostLog;
}

export interface LookedUp<T> {
  readonly found: ReadonlyMap<URI, T>;
  /** Sessions that don't exist. */
  readonly missing: readonly URI[];
  /** Sessions that exist but can't be loaded now. */
  readonly failed: readonly FailedSubscription[];
}

/**
 * Opens the sessions that a client names in its handshake. Only those that don't exist are `missing`. A client of a version without
 * `failed` could not tell a failed session from a resumed or removed one: it gets an error for the whole handshake and tries again.
 * When a session has failed for too long it is reported as missing, so that the client gets the others.
 */
export async function lookUp<T>(
  uris: readonly URI[],
  open: (uri: URI) => Promise<T>,
  { failures, protocolVersion, isWanted = () => true, log }: LookUpOptions,
): Promise<LookedUp<T>> {
  const found = new Map<URI, T>();
  const missing: URI[] = [];
  const failed: FailedSubscription[] = [];
  const knowsFailed = capabilitiesOf(protocolVersion).failedSubscriptions === true;
  const outcomes = await Promise.allSettled(uris.map(open));
  for (const [index, outcome] of outcomes.entries()) {
    const resource = uris[index] ?? '';
    if (outcome.status === 'fulfilled') {
      failures.delete(resource);
      found.set(resource, outcome.value);
    } else if (isGone(outcome.reason)) {
      failures.delete(resource);
      missing.push(resource);
    } else {
      if (isWanted()) log.error(`${resource} could not be loaded for a client`, outcome.reason);
      const isLasting = failures.add(resource);
      if (isLasting && !knowsFailed) missing.push(resource);
      else failed.push({ resource, error: errorOf(outcome.reason) });
    }
  }
  const [first] = failed;
  if (knowsFailed || !first) return { found, missing, failed };
  const message = `${first.resource} can't be loaded right now: ${first.error.message}; try again`;
  throw new RpcError(ERROR_CODE.tooManyRequests, message);
}

function isGone(error: unknown): boolean {
  return error instanceof RpcError && error.code === ERROR_CODE.sessionNotFound;
}

function errorOf(error: unknown): FailedSubscription['error'] {
  const known = error instanceof RpcError ? error : storageError(error);
  return known
    ? { code: known.code, message: known.message }
    : { code: ERROR_CODE.internalError, message: 'internal error' };
}
