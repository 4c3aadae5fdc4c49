import type { HostClient, SessionHandle } from '@agenthost/client';
import type { SessionStorage } from '@agenthost/host';
import type { URI } from '@agenthost/protocol';
import type { Journal } from './journal.js';
import type { TestClient } from './testClient.js';

/** Several clients and what they are connected to, as far as a run has come. */
export interface TestWorld {
  readonly journal: Journal;
  readonly clients: readonly TestClient[];
  /** Every session that a client tried to create. */
  readonly sessions: URI[];
  /** All that is ever stored gets its number from one host, or from one after the other. */
  readonly hasOneCounter: boolean;
  /** A text that no other message has, for the agent to do something with. */
  nextMark(): string;
  nextSession(): URI;
  setOnline(client: TestClient, online: boolean): void;
  /** Nothing is broken from now on, but the connections of clients. */
  mend(): Promise<void>;
  /** A client of its own that nothing ever happens to. */
  observer(): Promise<HostClient>;
  /** Resolves when these clients have heard all that was said before, of these sessions. */
  heard(clients: readonly HostClient[], sessions: readonly SessionHandle[]): Promise<void>;
  /** Ends all hosts in the regular way; what they stored stays until `dispose`. */
  stop(): Promise<void>;
  /** What is stored, when all hosts have ended. */
  storage(): Pick<SessionStorage, 'open'>;
  dispose(): Promise<void>;
}
