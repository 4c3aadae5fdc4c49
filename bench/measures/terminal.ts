// How long a key takes from the client to a shared terminal and back as output, beside a bare node-pty behind a socket. Both run `cat`.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { BenchProcess } from '../support/benchProcess.ts';
import { atMost } from '../support/figure.ts';
import { figureOf, quantile } from '../support/figures.ts';
import { measure } from '../support/measure.ts';

/** Types a key, and resolves with the milliseconds until it was printed. */
type Key = () => Promise<number>;

await measure(async ({ quick }) => {
  const rounds = quick ? 3 : 9;
  const keys = quick ? 200 : 500;
  const host = await BenchProcess.startHost();
  const raw = await BenchProcess.start('rawTerminalServer.ts');
  try {
    const types: Readonly<Record<'host' | 'raw', Key>> = { host: await hostKey(host), raw: await rawKey(raw) };
    const measured: Record<'host' | 'raw', { p50: number; p99: number }[]> = { host: [], raw: [] };
    for (let round = 0; round < rounds + 1; round++) {
      for (const kind of ['host', 'raw'] as const) {
        const times: number[] = [];
        for (let key = 0; key < keys; key++) times.push(await types[kind]());
        // The first round warms up.
        if (round > 0) measured[kind].push({ p50: quantile(times, 0.5), p99: quantile(times, 0.99) });
      }
    }
    const figures = (['p50', 'p99'] as const).map((part) => {
      const about = { measure: 'terminal', name: `echo of a key ${part}`, unit: 'ms', better: 'lower' } as const;
      const of = (kind: 'host' | 'raw') => measured[kind].map((one) => one[part]);
      const limit = part === 'p50' && { limit: atMost(2) };
      return figureOf({ ...about, baseline: 'bare node-pty', ...limit }, of('host'), of('raw'));
    });
    return { figures };
  } finally {
    host.kill();
    raw.kill();
  }
});

async function rawKey({ address }: BenchProcess): Promise<Key> {
  const socket = new WebSocket(address.url);
  await once(socket, 'open');
  return () => timed(socket, () => socket.send(JSON.stringify({ data: 'x' })), '"data":"x"');
}

async function hostKey({ address: { url, token } }: BenchProcess): Promise<Key> {
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
  await once(socket, 'open');
  let lastId = 0;
  const request = async (method: string, params: object): Promise<{ readonly terminal?: string }> => {
    const id = ++lastId;
    const answered = new Promise<{ readonly terminal?: string }>((resolve) => {
      const listen = (data: unknown) => {
        const message = JSON.parse(String(data)) as { id?: number; result?: { terminal?: string } };
        if (message.id !== id) return;
        socket.off('message', listen);
        resolve(message.result ?? {});
      };
      socket.on('message', listen);
    });
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    return answered;
  };
  const session = `mock:/${randomUUID()}`;
  await request('initialize', { protocolVersion: 2, clientId: randomUUID() });
  await request('createSession', { session });
  const { terminal } = await request('createTerminal', { session, columns: 80, rows: 24 });
  await request('attachTerminal', { terminal });
  let seq = 0;
  const type = (data: string) => {
    const params = { terminal, seq: ++seq, data };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method: 'sendToTerminal', params }));
  };
  await timed(socket, () => type("exec sh -c 'stty raw -echo; printf be; echo gun; exec cat'\r"), 'begun');
  return () => timed(socket, () => type('x'), '"data":"x"');
}

async function timed(socket: WebSocket, send: () => void, wanted: string): Promise<number> {
  const start = performance.now();
  await new Promise<void>((resolve) => {
    const listen = (data: unknown) => {
      if (!String(data).includes(wanted)) return;
      socket.off('message', listen);
      resolve();
    };
    socket.on('message', listen);
    send();
  });
  return performance.now() - start;
}
