import {
  type AgentInfo,
  createRootState,
  parseSessionUri,
  ROOT_URI,
  type SharedSession,
  type Snapshot,
} from '@agenthost/protocol';
import type { SubscribableResource } from '../sessions/sessions.js';
import type { SequenceSource } from '../state/publisher.js';
import type { RootStore } from '../state/rootStore.js';

/** The root state for a client with a read-only link: what its session's agent is called, as it was when it asked. Nothing follows. */
export class SharedRoot implements SubscribableResource {
  readonly #root: Pick<RootStore, 'state'>;
  readonly #sequence: SequenceSource;
  readonly #provider: string | undefined;

  constructor(root: Pick<RootStore, 'state'>, sequence: SequenceSource, { session }: SharedSession) {
    this.#root = root;
    this.#sequence = sequence;
    this.#provider = parseSessionUri(session)?.provider;
  }

  subscribe(): Snapshot {
    const agents = this.#root.state.agents.filter(({ provider }) => provider === this.#provider).map(named);
    return { resource: ROOT_URI, state: { ...createRootState(), agents }, fromSeq: this.#sequence.current };
  }

  resume(): void {}

  unsubscribe(): void {}
}

function named({ provider, displayName, description, icon, runsInput }: AgentInfo): AgentInfo {
  return {
    provider,
    displayName,
    description,
    models: [],
    ...(icon !== undefined && { icon }),
    ...(runsInput !== undefined && { runsInput }),
    availability: { state: 'available' },
  };
}
