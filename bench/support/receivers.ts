// Connects the subscribers; the first of them also sends, with a bounded number of messages on their way.
import { randomUUID } from 'node:crypto';
import { quantile } from './figures.ts';
import { FrameReader, isEnvelope } from './frameReader.ts';

export interface LoadTask {
  readonly kind: 'host' | 'raw';
  readonly url: string;
  readonly token: string;
  readonly subscribers: number;
  readonly envelopes: number;
  /** How many may be on their way; with 1 each waits for its echo. */
  readonly inFlight: number;
  /** By default a new one; it may exist already. */
  readonly session?: string;
}

export interface LoadResult {
  readonly event: 'done';
  readonly seconds: number;
  readonly delivered: number;
  /** Milliseconds from the send to the sender's own echo. */
  readonly p50: number;
  readonly p99: number;
}

/** So many connect at a time. */
const TOGETHER = 25;

process.once('message', (task) => void run(task as LoadTask));
process.on('disconnect', () => process.exit());

async function run(task: LoadTask): Promise<void> {
  const session = task.session ?? `mock:/${randomUUID()}`;
  const counts = new Array<number>(task.subscribers).fill(0);
  const waiting = new Map<number, (payload: Buffer) => void>();
  let counting = false;
  let missing = task.subscribers;
  const finished = Promise.withResolvers<void>();
  const readers: FrameReader[] = [];
  let sent = 0;
  const sentAt: number[] = [];
  const echoes: number[] = [];

  const onFrame = (index: number) => (payload: Buffer) => {
    if (!counting) {
      waiting.get(index)?.(payload);
      return;
    }
    if (task.kind === 'host' && !isEnvelope(payload)) return;
    const count = (counts[index] ?? 0) + 1;
    counts[index] = count;
    if (index === 0) {
      echoes.push(performance.now() - (sentAt[count - 1] ?? 0));
      if (sent < task.envelopes) sendOne();
    }
    if (count === task.envelopes && --missing === 0) finished.resolve();
  };

  await join(0);
  for (let from = 1; from < task.subscribers; from += TOGETHER) {
    const indexes = Array.from({ length: Math.min(TOGETHER, task.subscribers - from) }, (_, n) => from + n);
    await Promise.all(indexes.map(join));
  }
  // The presence list is sent a moment after the last client joined; it must not be counted.
  if (task.kind === 'host') await new Promise((resolve) => setTimeout(resolve, 300));
  process.send?.({ event: 'connected' });
  await new Promise((resolve) => process.once('message', resolve));

  counting = true;
  const start = performance.now();
  for (let index = 0; index < Math.min(task.inFlight, task.envelopes); index++) sendOne();
  await finished.promise;
  const seconds = (performance.now() - start) / 1_000;
  const delivered = counts.reduce((sum, count) => sum + count, 0);
  const [p50, p99] = [quantile(echoes, 0.5), quantile(echoes, 0.99)];
  process.send?.({ event: 'done', seconds, delivered, p50, p99 } satisfies LoadResult);
  for (const reader of readers) reader.close();

  async function join(index: number): Promise<void> {
    const reader = await FrameReader.open(task.url, task.token, onFrame(index));
    readers[index] = reader;
    if (task.kind === 'host') await subscribe(reader, index);
  }

  function sendOne(): void {
    sentAt.push(performance.now());
    sent++;
    const title = `a title of some length that changes every time, number ${sent}`;
    const action = { type: 'session/titleChanged', session, at: 1_700_000_000_000, title };
    const message =
      task.kind === 'host'
        ? { jsonrpc: '2.0', method: 'dispatchAction', params: { clientSeq: sent, action } }
        : { broadcast: { action, serverSeq: sent, origin: { clientId: 'c0', clientSeq: sent } } };
    readers[0]?.send(JSON.stringify(message));
  }

  async function subscribe(reader: FrameReader, index: number): Promise<void> {
    const request = (id: number, method: string, params: object) =>
      new Promise<void>((resolve, reject) => {
        waiting.set(index, (payload) => {
          const message = JSON.parse(payload.toString()) as { id?: number; error?: { message: string } };
          if (message.id !== id) return;
          if (message.error) reject(new Error(message.error.message));
          else resolve();
        });
        reader.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
      });
    await request(1, 'initialize', { protocolVersion: 1, clientId: randomUUID() });
    // It may be there already; whether it is, subscribing tells.
    if (index === 0) await request(2, 'createSession', { session }).catch(() => undefined);
    await request(3, 'subscribe', { resource: session });
  }
}
