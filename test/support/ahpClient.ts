import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type Frame, FrameSocket } from './frameSocket.js';

/** Anything that comes over an AHP connection. */
export interface AhpFrame extends Frame {
  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  readonly result?: any;
}

/** A scripted client of the public Agent Host Protocol: no more than what a test tells it to say. */
export class AhpTestClient extends FrameSocket<AhpFrame> {
  #lastClientSeq = 0;

  static async open(
    url: string,
    options: ConstructorParameters<typeof WebSocket>[1] = undefined,
  ): Promise<AhpTestClient> {
    const client = new AhpTestClient(new WebSocket(url, options));
    await once(client.socket, 'open');
    return client;
  }

  /** The next action of that type that was accepted, as its envelope. */
  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  async action(type: string, fits: (envelope: any) => boolean = () => true): Promise<any> {
    const frame = await this.next(
      ({ method, params }) =>
        method === 'action' && params.action.type === type && !params.rejectionReason && fits(params),
      type,
    );
    return frame.params;
  }

  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  async notification(method: string, fits: (params: any) => boolean = () => true): Promise<any> {
    return (await this.next((frame) => frame.method === method && fits(frame.params), method)).params;
  }

  dispatch(channel: string, action: object, clientSeq = ++this.#lastClientSeq): number {
    this.notify('dispatchAction', { channel, clientSeq, action });
    return clientSeq;
  }

  /** Dispatches and waits for the answer, accepted or refused. */
  // biome-ignore lint/suspicious/noExplicitAny: what came is looked at field by field
  async act(channel: string, action: object): Promise<any> {
    const clientSeq = this.dispatch(channel, action);
    const isAnswer = ({ method, params }: AhpFrame) => method === 'action' && params.origin?.clientSeq === clientSeq;
    return (await this.next(isAnswer, `the answer to ${JSON.stringify(action)}`)).params;
  }

  initialize(
    clientId: string,
    protocolVersions: readonly string[],
    subscriptions: readonly string[] = ['ahp-root://'],
  ) {
    return this.request('initialize', {
      channel: 'ahp-root://',
      protocolVersions,
      clientId,
      clientInfo: { name: clientId },
      initialSubscriptions: subscriptions,
    });
  }
}
