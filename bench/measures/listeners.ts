// What it costs a host to tell its clients of changes in their lists: the CPU time of a host whose sessions change at a fixed rate
// while clients look on that do nothing else, less that of the same load without them.
//
// The aim is a host with 500 of 5,000 clients, and 1,500 running sessions in all, of which each tells a change every two seconds: 750
// changes a second for each client. The full form tries as many, from fewer sessions that change more often; the quick one far less.
// Both are EXTRAPOLATED from what was told to that. Hearing of changes over links is in the last two figures, which have three real
// hosts on a database with all of the sessions, and all or two fifths of the clients. Not in it: sessions that come among the newest.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchProcess } from '../support/benchProcess.ts';
import { childMessage } from '../support/childMessage.ts';
import { clusterListeners } from '../support/clusterListeners.ts';
import { atMost } from '../support/figure.ts';
import { figureOf, median } from '../support/figures.ts';
import { LINEAR, seriesOf } from '../support/growth.ts';
import type { Heard, ListenTask } from '../support/listeners.ts';
import { measure } from '../support/measure.ts';
import { RequestClient } from '../support/requestClient.ts';

const AIM = { clients: 500, changesASecond: 750, sessions: 1_500, watch: 50 };
/** Of the sessions of a run as many are watched as of those. */
const WATCHED = AIM.watch / AIM.sessions;
/** Of each session. The host tells no more than 2 where 100 clients listen. */
const CHANGES_A_SECOND = 1.5;

const AT = 1_700_000_000_000;

interface Load {
  readonly clients: number;
  readonly watch?: number;
}

await measure(async ({ quick }) => {
  const { figures, series } = await oneHost(quick);
  return { figures: [...figures, ...(await clusterListeners(quick))], series };
});

async function oneHost(quick: boolean) {
  const rounds = quick ? 1 : 5;
  const seconds = quick ? 3 : 6;
  const sessions = quick ? 150 : Math.ceil(AIM.changesASecond / CHANGES_A_SECOND);
  const counts = quick ? [100, 400] : [100, 200, AIM.clients];
  const most = counts.at(-1) ?? 0;
  const host = await BenchProcess.startHost();
  const sender = await RequestClient.open(host.address);
  try {
    const uris = await made(sender, sessions);
    let clientSeq = 0;
    let isRead = false;
    /** Cores that the host needs, and how many changes a second it told all clients together. */
    const under = async ({ clients, watch }: Load) => {
      const listeners = fork(join(import.meta.dirname, '../support/listeners.ts'));
      try {
        const task: ListenTask = { ...host.address, clients, ...(watch !== undefined && { watch }) };
        listeners.send(task);
        await childMessage(listeners, 'connected');
        // A host that is just asked for the newest sessions tells of all of them, and lists them once more.
        await delay(1_500);
        const heard = async () => {
          listeners.send('how many');
          return ((await childMessage(listeners, 'heard')) as Heard).notifications;
        };
        const before = await heard();
        const cpu = host.cpu();
        const until = performance.now() + seconds * 1_000;
        const began = performance.now();
        for (let changes = 0; performance.now() < until; changes++) {
          if (changes % sessions === 0) isRead = !isRead;
          const action = { type: 'session/isReadChanged', session: uris[changes % sessions], at: AT, isRead };
          sender.send('dispatchAction', { clientSeq: ++clientSeq, action });
          const early = began + ((changes + 1) * 1_000) / (sessions * CHANGES_A_SECOND) - performance.now();
          if (early > 0) await delay(early);
        }
        await sender.request('ping', {});
        const took = performance.now() - began;
        const cores = (host.cpu() - cpu) / 1_000 / took;
        return { cores, told: ((await heard()) - before) / (took / 1_000) };
      } finally {
        listeners.kill();
      }
    };
    const newest = Math.max(1, Math.round(sessions * WATCHED));
    const aim = AIM.clients * AIM.changesASecond;
    /** Cores for as many notifications as the aim has. */
    const atAim = async (load: Load, alone: number, notifications: number) => {
      const { cores, told } = await under(load);
      const expected = load.clients * sessions * CHANGES_A_SECOND * (load.watch === undefined ? 1 : WATCHED);
      if (told < expected / 4 || told > expected * 2)
        throw new Error(`${told} notifications a second, not ${expected}`);
      // What is lost in the noise is not free.
      const needed = Math.max(cores - alone, 0.001);
      return { cores, atAim: (needed * notifications) / told };
    };
    await under({ clients: counts[0] ?? 0 });
    const all = new Map(counts.map((clients) => [clients, [] as number[]]));
    const ofAll: number[] = [];
    const ofNewest: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const alone = (await under({ clients: 0 })).cores;
      for (const clients of counts) {
        const found = await atAim({ clients }, alone, aim);
        all.get(clients)?.push(found.cores);
        if (clients === most) ofAll.push(found.atAim);
      }
      ofNewest.push((await atAim({ clients: most, watch: newest }, alone, aim * WATCHED)).atAim);
    }
    const about = { measure: 'listeners', unit: 'cores', better: 'lower', limit: atMost(1, 'value') } as const;
    const who = `${AIM.clients} clients, ${AIM.changesASecond} changes a second`;
    return {
      figures: [
        figureOf(
          { ...about, name: `told of all sessions: ${who}`, baseline: `told of ${AIM.watch} of ${AIM.sessions}` },
          ofAll,
          ofNewest,
        ),
        figureOf(
          { ...about, name: `told of ${AIM.watch} of ${AIM.sessions}: ${who}`, baseline: 'told of all' },
          ofNewest,
          ofAll,
        ),
      ],
      series: [
        seriesOf({
          measure: 'listeners',
          name: 'CPU of sessions and of telling their changes',
          x: 'clients',
          y: 'cores',
          points: counts.map((clients) => [clients, Number(median(all.get(clients) ?? []).toPrecision(3))] as const),
          atMost: LINEAR,
        }),
      ],
    };
  } finally {
    sender.close();
    host.kill();
  }
}

async function made(sender: RequestClient, count: number): Promise<string[]> {
  const uris = Array.from({ length: count }, () => `mock:/${randomUUID()}`);
  for (const session of uris) await sender.request('createSession', { session });
  return uris;
}
