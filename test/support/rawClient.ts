import { once } from 'node:events';
import {
  type ActionEnvelope,
  type Notification,
  REJECTION,
  type SessionAction,
  type SessionState,
  type Snapshot,
} from '@agenthost/protocol';
import { type ClientOptions, WebSocket } from 'ws';
import { type Frame, FrameSocket } from './frameSocket.js';

/** One frame, as it came. */
export interface RawFrame extends Frame {
  readonly params?: { readonly envelope?: ActionEnvelope; readonly notification?: Notification };
}

export interface RawAddress {
  readonly url: URL;
  readonly token: string;
}

/** A client of the host's own protocol that says no more than what a test tells it to. */
export class RawClient extends FrameSocket<RawFrame> {
  #lastClientSeq = 0;

  static async open({ url, token }: RawAddress, options: ClientOptions = {}): Promise<RawClient> {
    const socket = new WebSocket(socketUrl(url), {
      ...options,
      headers: { authorization: `Bearer ${token}`, ...options.headers },
    });
    const client = new RawClient(socket);
    await once(socket, 'open');
    return client;
  }

  get envelopes(): ActionEnvelope[] {
    return this.received.flatMap(({ params }) => (params?.envelope ? [params.envelope] : []));
  }

  get notifications(): Notification[] {
    return this.received.flatMap(({ params }) => (params?.notification ? [params.notification] : []));
  }

  async nextEnvelope(fits: (envelope: ActionEnvelope) => boolean, what?: string): Promise<ActionEnvelope> {
    const frame = await this.next(({ params }) => params?.envelope !== undefined && fits(params.envelope), what);
    return frame.params?.envelope as ActionEnvelope;
  }

  /** The next action of that type in that session. */
  async nextAction<T extends SessionAction['type']>(
    session: string,
    type: T,
    fits: (action: Extract<SessionAction, { type: T }>) => boolean = () => true,
  ): Promise<Extract<SessionAction, { type: T }>> {
    type Wanted = Extract<SessionAction, { type: T }>;
    const isWanted = ({ action, rejectionReason }: ActionEnvelope) =>
      action.type === type && (action as Wanted).session === session && !rejectionReason && fits(action as Wanted);
    return (await this.nextEnvelope(isWanted, type)).action as Wanted;
  }

  /** Sends an action without waiting; gives back its `clientSeq`. */
  dispatch(action: object, clientSeq = this.#lastClientSeq + 1): number {
    this.#lastClientSeq = Math.max(this.#lastClientSeq, clientSeq);
    this.notify('dispatchAction', { clientSeq, action: { at: 1, ...action } });
    return clientSeq;
  }

  async echo(clientSeq: number): Promise<ActionEnvelope> {
    const isEcho = ({ origin }: ActionEnvelope) => origin?.clientSeq === clientSeq && origin.clientId !== undefined;
    const envelope = await this.nextEnvelope(isEcho);
    checkRejection(envelope);
    return envelope;
  }

  /** Sends an action and waits for its echo, accepted or refused. */
  async act(action: object): Promise<ActionEnvelope> {
    return this.echo(this.dispatch(action));
  }

  /** Everything that the host had for this client before now has come when this resolves. */
  async fence(): Promise<void> {
    await this.request('ping');
  }

  async stateOf(resource: string): Promise<SessionState> {
    return (await this.request<Snapshot>('subscribe', { resource })).state as SessionState;
  }
}

/** [VAL8] Here, so that every test which meets a refusal checks it. */
function checkRejection({ rejectionReason, rejection }: ActionEnvelope): void {
  if (rejectionReason === undefined && rejection === undefined) return;
  const { code = '' } = rejection ?? {};
  const text = Object.hasOwn(REJECTION, code) ? REJECTION[code as keyof typeof REJECTION] : undefined;
  const isInWords = code === 'roleNotAllowed' || (text !== undefined && rejectionReason?.startsWith(text));
  if (!isInWords) throw new Error(`refused with the text ${rejectionReason} and the code ${code}`);
}

export function socketUrl(url: URL): string {
  return new URL('/ws', url).href.replace(/^http/, 'ws');
}
