import { setTimeout as delay } from 'node:timers/promises';
import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { SessionHub } from '../sessions/sessionHub.js';
import { OwnedElsewhere } from '../storage/sessionStorage.js';
import type { ReleaseParams } from './links/linkMessages.js';
import type { Links } from './links/links.js';

export interface TakeSessionOptions {
  readonly hostId: string;
  readonly hub: Pick<SessionHub, 'open'>;
  readonly links: Pick<Links, 'to'>;
}

const ATTEMPTS = 5;
const RETRY_MS = 200;

/** Takes a session for this host from the one that has it, if any has. Rejects when it is at work there. */
export async function takeSession(uri: URI, { hostId, hub, links }: TakeSessionOptions): Promise<void> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const owner = await hub.open(uri).then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof OwnedElsewhere) return error.hostId;
        throw error;
      },
    );
    if (owner === undefined) return;
    const release: ReleaseParams = { uri, to: hostId };
    await (await links.to(owner)).request('link.release', release);
    // It was being loaded there, or somebody else was faster.
    if (attempt > 1) await delay(RETRY_MS);
  }
  throw new RpcError(ERROR_CODE.tooManyRequests, `another host has ${uri} open again and again: try again`);
}
