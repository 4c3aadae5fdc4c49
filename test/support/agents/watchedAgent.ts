import { EventEmitter, once } from 'node:events';
import { type AgentSession, MockAgent, type OpenSessionOptions } from '@agenthost/host';
import { parseSessionUri } from '@agenthost/protocol';

/** Tells when sessions of its agent open and end: a session that leaves the memory takes its agent's with it. */
export class WatchedAgent extends MockAgent {
  readonly open = new Set<string>();
  readonly events = new EventEmitter();

  override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    const session = await super.openSession(options);
    const { sessionId } = options;
    this.open.add(sessionId);
    const dispose = session.dispose.bind(session);
    session.dispose = async () => {
      await dispose();
      if (this.open.delete(sessionId)) this.events.emit(sessionId);
    };
    return session;
  }

  /** Resolves when the agent's session has ended. */
  async ended(uri: string): Promise<void> {
    const id = parseSessionUri(uri)?.sessionId ?? '';
    if (this.open.has(id)) await once(this.events, id, { signal: AbortSignal.timeout(10_000) });
  }
}
