import { type AuditActor, type Author, type Commands, ERROR_CODE } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';
import type { AuditTrail } from '../audit/auditTrail.js';
import type { HostCounters } from '../metrics/hostCounters.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { Credential } from './credential.js';

/** Who is told of in the audit trail. */
export function auditActor({ id, name, user, role }: Credential, author?: Author): AuditActor {
  const person = author?.name ?? user ?? name ?? 'the owner';
  return {
    name: person,
    ...(name !== undefined && name !== person && { device: name }),
    token: id,
    role,
    ...(author && author.clientId !== '' && { clientId: author.clientId }),
  };
}

/** Who counts commands, and tells a collector of them. */
interface CommandWatch {
  readonly counters: Pick<HostCounters, 'commandEnded'>;
  /** While telemetry is on. */
  readonly telemetry: Pick<Telemetry, 'commandBegan'> | undefined;
}

/** What a connection and the server know of those who watch the host. */
export interface HostWatch extends CommandWatch {
  /** What `/metrics` answers. */
  page(): { readonly type: string; readonly text: string };
  dispose(): Promise<void>;
}

interface Watchers {
  readonly audit: AuditTrail;
  readonly watching: CommandWatch;
}

/** Asked every few seconds by each client: no news to anybody. */
const UNTOLD: ReadonlySet<string> = new Set<keyof Commands>(['ping']);

/** Runs a command. Its outcome is counted, and recorded if the audit trail has such commands. */
export function watchedCommand<M extends keyof Commands, T>(
  { audit, watching }: Watchers,
  method: M,
  params: Commands[M]['params'],
  credential: Credential,
  author: Author,
  run: () => T,
): T {
  const record = audit.command(method, params, auditActor(credential, author), credential.space);
  const told = UNTOLD.has(method) ? undefined : watching.telemetry?.commandBegan(method);
  const done = () => {
    watching.counters.commandEnded(method, 'done');
    record?.('done');
    told?.();
  };
  const failed = (error: unknown) => {
    watching.counters.commandEnded(method, 'failed');
    record?.('failed');
    told?.(error instanceof RpcError ? error.code : ERROR_CODE.internalError);
  };
  try {
    const result = run();
    if (result instanceof Promise) result.then(done, failed);
    else done();
    return result;
  } catch (error) {
    failed(error);
    throw error;
  }
}
