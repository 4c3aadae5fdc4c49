import type {
  ListSessionsParams,
  ListSessionsResult,
  SessionSummary,
  SessionSummaryChanges,
  URI,
} from '@agenthost/protocol';
import { withSummaryChanges } from '@agenthost/protocol/internal';
import type { CommandOptions } from './connection/commandChannel.js';
import type { HostClient } from './hostClient.js';

/**
 * Lists sessions for a caller that also follows the host's announcements. An announcement that came behind the answer can be
 * handled before the code that awaits the answer runs, and the answer would then undo it. What this resolves with gives the
 * answer with everything that was announced since it was asked for. Call it once, in the turn in which the answer is used.
 */
export async function listInStep(
  host: Pick<HostClient, 'listSessions' | 'onNotification'>,
  params: ListSessionsParams,
  options?: CommandOptions,
): Promise<() => ListSessionsResult> {
  /** Also old ones, of which this client had not heard (NTF2). */
  const added = new Map<URI, SessionSummary>();
  const changed = new Map<URI, SessionSummaryChanges>();
  const removed = new Set<URI>();
  const following = host.onNotification((event) => {
    if (event.type === 'notify/sessionSummaryChanged') {
      changed.set(event.session, { ...changed.get(event.session), ...event.changes });
    } else if (event.type === 'notify/sessionRemoved') {
      removed.add(event.session);
      added.delete(event.session);
      changed.delete(event.session);
    } else if (event.type === 'notify/sessionAdded') {
      added.set(event.summary.resource, event.summary);
      changed.delete(event.summary.resource);
      removed.delete(event.summary.resource);
    }
  });
  try {
    const result = await host.listSessions(params, options);
    return () => {
      following.dispose();
      const items = result.items.filter(({ resource }) => !removed.has(resource));
      // One that was announced before the answer may be older than it. Then another one follows: every change is announced.
      const current = (item: SessionSummary) =>
        withSummaryChanges(added.get(item.resource) ?? item, changed.get(item.resource));
      return { ...result, items: items.map(current) };
    };
  } catch (error) {
    following.dispose();
    throw error;
  }
}
