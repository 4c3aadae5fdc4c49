import { fork } from 'node:child_process';
import { join } from 'node:path';
import { BenchProcess } from './benchProcess.ts';
import { childMessage } from './childMessage.ts';
import type { LoadResult, LoadTask } from './receivers.ts';

export interface UnderLoad extends LoadResult {
  readonly perSecond: number;
  /** Microseconds of the server's CPU time for each envelope that was delivered. */
  readonly cpu: number;
}

export interface Pair {
  readonly host: BenchProcess;
  readonly raw: BenchProcess;
}

export async function startPair(rawArgs: readonly string[] = []): Promise<Pair> {
  const host = await BenchProcess.startHost();
  return { host, raw: await BenchProcess.start('rawServer.ts', rawArgs) };
}

/** The receivers' process connects, then the server streams; CPU is the server's alone, read before and after. */
export async function underLoad(
  { host, raw }: Pair,
  kind: LoadTask['kind'],
  load: Pick<LoadTask, 'subscribers' | 'envelopes' | 'inFlight' | 'session'>,
): Promise<UnderLoad> {
  const server = kind === 'host' ? host : raw;
  const receivers = fork(join(import.meta.dirname, 'receivers.ts'));
  try {
    receivers.send({ kind, ...server.address, ...load } satisfies LoadTask);
    await childMessage(receivers, 'connected');
    const before = server.cpu();
    receivers.send('go');
    const result = (await childMessage(receivers, 'done')) as LoadResult;
    const used = server.cpu() - before;
    return { ...result, perSecond: result.delivered / result.seconds, cpu: used / result.delivered };
  } finally {
    receivers.kill();
  }
}
