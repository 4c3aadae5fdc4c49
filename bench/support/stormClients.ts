// Very many clients that lose their connection at once and come back at once, each to catch up with what it missed.
import { randomUUID } from 'node:crypto';
import { FrameReader } from './frameReader.ts';

export interface StormTask {
  readonly kind: 'host' | 'raw';
  readonly url: string;
  readonly token: string;
  readonly clients: number;
  readonly missed: number;
}

interface Reply {
  readonly id?: number;
  readonly result?: { serverSeq: number; serverInfo: { instanceId: string }; type?: string; actions?: unknown[] };
  readonly error?: { readonly message: string };
}

process.on('disconnect', () => process.exit());
process.once('message', (task) => void run(task as StormTask));

async function run(task: StormTask): Promise<void> {
  const session = `mock:/${randomUUID()}`;
  const ids = Array.from({ length: task.clients }, () => randomUUID());
  const sender = await Client.open(task);
  let seen = { serverSeq: 0, instanceId: '' };
  if (task.kind === 'host') {
    const clientId = randomUUID();
    const { result } = await sender.request('initialize', { protocolVersion: 1, clientId });
    await sender.request('createSession', { session });
    const { result: snapshot } = await sender.request('subscribe', { resource: session });
    const { fromSeq } = snapshot as unknown as { fromSeq: number };
    seen = { serverSeq: fromSeq, instanceId: result?.serverInfo.instanceId ?? '' };
  }
  for (let n = 1; n <= task.missed; n++) {
    const action = { type: 'session/titleChanged', session, at: 1, title: `a title of some length, number ${n}` };
    await sender.echo(
      task.kind === 'host' ? { method: 'dispatchAction', params: { clientSeq: n, action } } : { broadcast: { action } },
    );
  }
  process.send?.({ event: 'connected' });
  await new Promise((resolve) => process.once('message', resolve));
  const start = performance.now();
  const back = await Promise.all(
    ids.map(async (clientId) => {
      const client = await Client.open(task);
      const reply =
        task.kind === 'host'
          ? await client.request('reconnect', {
              protocolVersion: 1,
              clientId,
              instanceId: seen.instanceId,
              lastSeenServerSeq: seen.serverSeq,
              subscriptions: [session],
            })
          : await client.next({ replay: true });
      return { client, reply, ms: performance.now() - start };
    }),
  );
  const ms = performance.now() - start;
  const wrong = back.find(({ reply }) => JSON.stringify(reply).length < task.missed * 40);
  if (wrong) throw new Error(`a client did not get what it missed: ${JSON.stringify(wrong.reply).slice(0, 300)}`);
  process.send?.({ event: 'done', ms });
  for (const { client } of back) client.close();
  sender.close();
}

interface Listener {
  onFrame: ((payload: Buffer) => void) | undefined;
}

class Client {
  readonly #reader: FrameReader;
  readonly #listener: Listener;

  static async open({ url, token }: StormTask): Promise<Client> {
    const listener: Listener = { onFrame: undefined };
    return new Client(await FrameReader.open(url, token, (payload) => listener.onFrame?.(payload)), listener);
  }

  private constructor(reader: FrameReader, listener: Listener) {
    this.#reader = reader;
    this.#listener = listener;
  }

  /** The answer to the one request that is under way. */
  async request(method: string, params: object): Promise<Reply> {
    const reply = await this.#until({ jsonrpc: '2.0', id: 1, method, params }, (message) => message.id === 1);
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply;
  }

  /** Sends, and waits for what comes back of it. */
  async echo(message: object): Promise<void> {
    await this.#until({ jsonrpc: '2.0', ...message }, (reply) => JSON.stringify(reply).includes('titleChanged'));
  }

  next(message: object): Promise<Reply> {
    return this.#until(message, () => true);
  }

  close(): void {
    this.#reader.close();
  }

  #until(message: object, isIt: (message: Reply) => boolean): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.#listener.onFrame = (payload) => {
      const received = JSON.parse(payload.toString()) as Reply;
      if (isIt(received)) resolve(received);
    };
    this.#reader.send(JSON.stringify(message));
    return promise;
  }
}
