import { createHostClient, type HostClient, type SessionHandle } from '@agenthost/client';
import type { URI } from '@agenthost/protocol';
import type { Schedule } from '@agenthost/rpc';
import type { LaneName } from './steps.js';
import { Wire } from './wire.js';

export interface TestClientOptions {
  readonly clientId: string;
  /** Resolves when this client can reach the host. */
  readonly reachable: (client: TestClient, signal: AbortSignal) => Promise<void>;
  readonly attach: (wire: Wire, client: TestClient) => void;
  readonly onError: (error: unknown) => void;
  readonly onDuplicated: (client: TestClient, clientSeq: number) => void;
  readonly onFrame: (client: TestClient, wire: Wire, message: WireMessage) => void;
}

/** What the suite looks at in a frame from the host. */
export interface WireMessage {
  readonly method?: string;
  readonly params?: { readonly envelope?: SeenEnvelope };
  readonly result?: {
    readonly serverSeq?: number;
    readonly serverInfo?: unknown;
    readonly actions?: readonly SeenEnvelope[];
    readonly acceptedClientSeq?: Readonly<Record<URI, number>>;
  };
}

export interface SeenEnvelope {
  readonly serverSeq: number;
  readonly rejectionReason?: string;
  readonly repeated?: true;
  readonly origin?: { readonly clientId: string; readonly clientSeq: number };
}

export interface Crash {
  readonly hostNotices: boolean;
  readonly resend: boolean;
  readonly forgets?: boolean;
}

interface SentAction {
  readonly text: string;
  readonly session: URI;
  readonly wire: Wire;
}

/** One client, across the ends of its connections and of its process: the same id, and numbers that continue. */
export class TestClient {
  readonly clientId: string;
  readonly handles = new Map<URI, SessionHandle>();
  readonly held: Record<LaneName, boolean> = { toHost: false, toClient: false };
  readonly wires: Wire[] = [];
  online = true;
  readonly #options: TestClientOptions;
  #connection: HostClient;
  #lastClientSeq = 0;
  /** Sent, and not answered as far as this client knows. */
  readonly #unanswered = new Map<number, SentAction>();
  #resend: readonly SentAction[] = [];

  constructor(options: TestClientOptions) {
    this.clientId = options.clientId;
    this.#options = options;
    this.#connection = this.#connect();
  }

  get connection(): HostClient {
    return this.#connection;
  }

  get wire(): Wire | undefined {
    return this.wires.at(-1);
  }

  get lastClientSeq(): number {
    return this.#lastClientSeq;
  }

  /** What it has sent over the connection that it has, and what the host has not answered. */
  get unanswered(): readonly { readonly clientSeq: number; readonly session: URI }[] {
    const { wire } = this;
    if (!wire?.isOpen) return [];
    return [...this.#unanswered].flatMap(([clientSeq, sent]) =>
      sent.wire === wire ? [{ clientSeq, session: sent.session }] : [],
    );
  }

  /**
   * The process dies and restarts. With `resend` it had kept on disk what it sent without an answer; with `forgets` it had
   * not kept how far it has counted.
   */
  crash({ hostNotices, resend, forgets = false }: Crash): void {
    for (const wire of this.wires) {
      if (!wire.isOpen) continue;
      if (hostNotices) wire.cut();
      else wire.cutForClient();
    }
    this.#connection.close();
    this.handles.clear();
    this.#resend = resend ? [...this.#unanswered.values()] : [];
    this.#unanswered.clear();
    if (forgets) this.#lastClientSeq = 0;
    this.#connection = this.#connect();
  }

  #connect(): HostClient {
    return createHostClient({
      clientId: this.clientId,
      clientInfo: { name: this.clientId },
      clientSeq: {
        load: () => this.#lastClientSeq,
        save: (last) => {
          this.#lastClientSeq = last;
        },
      },
      transport: (signal) => this.#dial(signal),
      keepAliveMs: 0,
      random: () => 0,
      schedule: immediately,
      onError: this.#options.onError,
    });
  }

  async #dial(signal: AbortSignal) {
    await this.#options.reachable(this, signal);
    const wire: Wire = new Wire({
      hold: this.held,
      onSentToHost: (text) => this.#sent(text, wire),
      onDuplicated: (text) => {
        const { clientSeq } = dispatched(text) ?? {};
        if (clientSeq !== undefined) this.#options.onDuplicated(this, clientSeq);
      },
      onArrivingAtClient: (text) => this.#arriving(wire, JSON.parse(text) as WireMessage),
    });
    this.wires.push(wire);
    this.#options.attach(wire, this);
    return wire.client;
  }

  #sent(text: string, wire: Wire): void {
    const sent = dispatched(text);
    if (sent) this.#unanswered.set(sent.clientSeq, { text, session: sent.action.session, wire });
  }

  #arriving(wire: Wire, message: WireMessage): void {
    this.#options.onFrame(this, wire, message);
    const { result, params } = message;
    for (const envelope of [...(params?.envelope ? [params.envelope] : []), ...(result?.actions ?? [])]) {
      if (envelope.origin?.clientId === this.clientId) this.#unanswered.delete(envelope.origin.clientSeq);
    }
    for (const [clientSeq, { session }] of this.#unanswered) {
      if (clientSeq <= (result?.acceptedClientSeq?.[session] ?? 0)) this.#unanswered.delete(clientSeq);
    }
    if (result?.serverInfo === undefined) return;
    // Right behind the handshake, before anything new: their numbers are lower.
    for (const { text } of this.#resend) wire.toHost.send({ kind: 'frame', text });
    for (const { text } of this.#resend) this.#sent(text, wire);
    this.#resend = [];
  }
}

function dispatched(
  text: string,
): { readonly clientSeq: number; readonly action: { readonly session: URI } } | undefined {
  const { method, params } = JSON.parse(text);
  return method === 'dispatchAction' ? params : undefined;
}

/** A host that is not given the processor for half a minute is no host that hangs. */
const PATIENCE = 20;

/** Pauses between attempts are none; what is meant to take long takes longer. */
export const immediately: Schedule = (run, delayMs) => {
  if (delayMs < 1) {
    const immediate = setImmediate(run);
    return { dispose: () => clearImmediate(immediate) };
  }
  const timer = setTimeout(run, PATIENCE * delayMs);
  return { dispose: () => clearTimeout(timer) };
};
