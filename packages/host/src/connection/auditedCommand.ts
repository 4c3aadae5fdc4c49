import type { AuditActor, Author, Commands } from '@agenthost/protocol';
import type { AuditTrail } from '../audit/auditTrail.js';
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

/** Runs a command, and records its outcome if the audit trail has such commands. */
export function auditCommand<M extends keyof Commands, T>(
  audit: AuditTrail,
  method: M,
  params: Commands[M]['params'],
  credential: Credential,
  author: Author,
  run: () => T,
): T {
  const record = audit.command(method, params, auditActor(credential, author), credential.space);
  if (!record) return run();
  try {
    const result = run();
    if (result instanceof Promise) {
      result.then(
        () => record('done'),
        () => record('failed'),
      );
    } else record('done');
    return result;
  } catch (error) {
    record('failed');
    throw error;
  }
}
