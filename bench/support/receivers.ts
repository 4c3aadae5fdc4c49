// Connects the subscribers; the first of them also sends, with a bounded number of messages on their way.
import { randomUUID } from 'node:crypto';
import { FrameReader, isEnvelope } from './frameReader.ts';

export interface LoadTask {
  readonly kind: 'host' | 'raw';
  readonly url: string;
  readonly token: string;
  readonly subscribers: number;
  readonly envelopes: number;
}

export interface LoadResult {
  readonly event: 'done';
  readonly seconds: number;
  readonly delivered: number;
}

const IN_FLIGHT = 256;

process.once('message', (task) => void run(task as LoadTask));
process.on('disconnect', () => process.exit());

async function run(task: LoadTask): Promise<void> {
  const session = `mock:/${randomUUID()}`;
  const counts = new Array<number>(task.subscribers).fill(0);
  const waiting = new Map<number, (payload: Buffer) => void>();
  let counting = false;
  let missing = task.subscribers;
  const finished = Promise.withResolvers<void>();
  const readers: FrameReader[] = [];
  let sent = 0;

  const onFrame = (index: number) => (payload: Buffer) => {
    if (!counting) {
      waiting.get(index)?.(payload);
      return;
    }
    if (task.kind === 'host' && !isEnvelope(payload)) return;
    const count = (counts[index] ?? 0) + 1;
    counts[index] = count;
    if (index === 0 && sent < task.envelopes) sendOne();
    if (count === task.envelopes && --missing === 0) finished.resolve();
  };

  for (let index = 0; index < task.subscribers; index++) {
    const reader = await FrameReader.open(task.url, task.token, onFrame(index));
    readers.push(reader);
    if (task.kind === 'host') await subscribe(reader, index);
  }
  // The list of who looks on is told a moment after the last one came; it must not be counted.
  if (task.kind === 'host') await new Promise((resolve) => setTimeout(resolve, 300));
  process.send?.({ event: 'connected' });
  await new Promise((resolve) => process.once('message', resolve));

  counting = true;
  const start = performance.now();
  for (let index = 0; index < Math.min(IN_FLIGHT, task.envelopes); index++) sendOne();
  await finished.promise;
  const seconds = (performance.now() - start) / 1_000;
  const delivered = counts.reduce((sum, count) => sum + count, 0);
  process.send?.({ event: 'done', seconds, delivered } satisfies LoadResult);
  for (const reader of readers) reader.close();

  function sendOne(): void {
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
    if (index === 0) await request(2, 'createSession', { session });
    await request(3, 'subscribe', { resource: session });
  }
}
