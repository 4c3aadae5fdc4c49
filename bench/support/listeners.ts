// Connects clients that look at nothing but their lists, and counts what they are told.
import { randomUUID } from 'node:crypto';
import { FrameReader, isEnvelope } from './frameReader.ts';

export interface ListenTask {
  readonly url: string;
  readonly token: string;
  readonly clients: number;
  /** The newest so many sessions; all of them by default. */
  readonly watch?: number;
  /** One of so many counts what it is told, for all; every one by default. The others only take it. */
  readonly sample?: number;
}

export interface Heard {
  readonly event: 'heard';
  readonly notifications: number;
}

/** So many connect at a time. */
const TOGETHER = 25;

process.once('message', (task) => void run(task as ListenTask));
process.on('disconnect', () => process.exit());

async function run({ url, token, clients, watch, sample = 1 }: ListenTask): Promise<void> {
  let notifications = 0;
  const join = async (number: number) => {
    const answered = Promise.withResolvers<void>();
    let isAnswered = false;
    const reader = await FrameReader.open(url, token, (payload) => {
      // The first frame with an id is the answer; all others are told.
      if (!isAnswered && payload.subarray(0, 40).includes('"id"')) {
        isAnswered = true;
        answered.resolve();
      } else if (!isEnvelope(payload)) notifications += sample;
    });
    const params = {
      protocolVersion: 1,
      clientId: randomUUID(),
      ...(watch !== undefined && { watch: { limit: watch } }),
    };
    reader.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }));
    await answered.promise;
    if (number % sample !== 0) reader.ignore();
  };
  for (let from = 0; from < clients; from += TOGETHER) {
    const some = Array.from({ length: Math.min(TOGETHER, clients - from) }, (_, n) => join(from + n));
    await Promise.all(some);
  }
  process.send?.({ event: 'connected' });
  // Asked twice: what came in between counts.
  process.on('message', () => process.send?.({ event: 'heard', notifications } satisfies Heard));
}
