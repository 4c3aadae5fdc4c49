// Envelopes delivered to 1, 10, 100 and 1,000 subscribers, beside a raw `ws` server that parses one message and broadcasts it,
// in the same run. Servers and receivers are processes of their own; the result is a ratio, because machines are noisy.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { childMessage } from './support/childMessage.ts';
import { hundredths, median } from './support/figures.ts';
import type { LoadResult, LoadTask } from './support/receivers.ts';

const { values } = parseArgs({ options: { quick: { type: 'boolean' }, json: { type: 'boolean' } } });
const SUBSCRIBERS = [1, 10, 100, 1_000];
const ROUNDS = values.quick ? 1 : 3;
/** Deliveries in one round: enough to be measured, few enough for a thousand receivers in two cores. */
const DELIVERIES = values.quick ? 100_000 : 400_000;

interface Measure {
  readonly envelopesPerSecond: number;
  readonly cpuMicrosecondsPerEnvelope: number;
}

interface Server {
  readonly child: ChildProcess;
  readonly task: Omit<LoadTask, 'subscribers' | 'envelopes'>;
}

const here = import.meta.dirname;
const rows: Record<string, number>[] = [];
const [host, raw] = [await startServer('hostServer.ts'), await startServer('rawServer.ts')];
try {
  for (const subscribers of SUBSCRIBERS) {
    const envelopes = Math.max(Math.floor(DELIVERIES / subscribers), 400);
    await measure(host, subscribers, Math.min(envelopes, 2_000));
    await measure(raw, subscribers, Math.min(envelopes, 2_000));
    const rounds: { ours: Measure; theirs: Measure }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        ours: await measure(host, subscribers, envelopes),
        theirs: await measure(raw, subscribers, envelopes),
      });
    }
    rows.push({
      subscribers,
      'host k/s': thousands(median(rounds.map(({ ours }) => ours.envelopesPerSecond))),
      'raw ws k/s': thousands(median(rounds.map(({ theirs }) => theirs.envelopesPerSecond))),
      'rate ratio': ratio(rounds.map(({ ours, theirs }) => ours.envelopesPerSecond / theirs.envelopesPerSecond)),
      'host µs CPU': hundredths(median(rounds.map(({ ours }) => ours.cpuMicrosecondsPerEnvelope))),
      'raw µs CPU': hundredths(median(rounds.map(({ theirs }) => theirs.cpuMicrosecondsPerEnvelope))),
      'CPU ratio': ratio(
        rounds.map(({ ours, theirs }) => ours.cpuMicrosecondsPerEnvelope / theirs.cpuMicrosecondsPerEnvelope),
      ),
    });
  }
} finally {
  host.child.kill();
  raw.child.kill();
}
if (values.json) console.log(JSON.stringify(rows));
else console.table(rows);

/** The receivers' process connects, then the server streams; CPU is the server's alone, read before and after. */
async function measure(server: Server, subscribers: number, envelopes: number): Promise<Measure> {
  const receivers = fork(join(here, 'support/receivers.ts'));
  try {
    receivers.send({ ...server.task, subscribers, envelopes } satisfies LoadTask);
    await childMessage(receivers, 'connected');
    const before = await cpu(server.child);
    receivers.send('go');
    const { seconds, delivered } = (await childMessage(receivers, 'done')) as LoadResult;
    const used = (await cpu(server.child)) - before;
    return { envelopesPerSecond: delivered / seconds, cpuMicrosecondsPerEnvelope: used / delivered };
  } finally {
    receivers.kill();
  }
}

async function startServer(file: string): Promise<Server> {
  const child = fork(join(here, 'support', file));
  const { task } = (await childMessage(child, 'listening')) as { task: Server['task'] };
  return { child, task };
}

async function cpu(child: ChildProcess): Promise<number> {
  child.send('cpu');
  return ((await childMessage(child, 'cpu')) as { microseconds: number }).microseconds;
}

function ratio(values: readonly number[]): number {
  return hundredths(median(values));
}

function thousands(value: number): number {
  return Math.round(value / 1_000);
}
