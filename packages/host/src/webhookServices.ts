import { PROTOCOL_VERSION } from '@agenthost/protocol';
import type { AuditTrail } from './audit/auditTrail.js';
import type { SessionIndex } from './sessionIndex/sessionIndex.js';
import type { AskingClient, Sessions } from './sessions/sessions.js';
import { visibleSessions } from './sessions/spaces/sharedSession.js';
import type { SequenceSource } from './state/publisher.js';
import type { WebhookServices } from './webhooks/webhooks.js';

/** Reads only, so that it does not matter who it is. */
const READER: AskingClient = { author: { clientId: '' }, protocolVersion: PROTOCOL_VERSION };

export interface WebhookSources {
  readonly sessions: () => Sessions;
  readonly index: Pick<SessionIndex, 'summary'>;
  readonly sequence: Pick<SequenceSource, 'current'>;
  readonly audit: Pick<AuditTrail, 'happened'>;
}

/** What webhooks get of the host: the sessions of the space of each, and no others. */
export function webhookServices({ sessions, index, sequence, audit }: WebhookSources): WebhookServices {
  return {
    read: (space, session, after, limit) =>
      visibleSessions(sessions, space).fetchEvents({ session, limit, ...(after !== undefined && { after }) }, READER),
    titleOf: (space, session) => index.summary(session, space)?.title,
    lastNumber: () => sequence.current,
    tell: (event, text, space) => audit.happened(event, text, space),
  };
}
