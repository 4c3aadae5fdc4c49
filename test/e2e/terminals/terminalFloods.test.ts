import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { isRunning } from '../../../packages/host/src/processes/processStat.js';
import { newTerminal, Screen, terminalHost } from '../../support/sharedTerminal.js';
import { spawnHost, temporaryFolder } from '../../support/testHost.js';

const LONG = { timeout: 60_000 };
const MB = 1024 * 1024;

let host: Awaited<ReturnType<typeof terminalHost>>;
let mira: HostClient;
let tom: HostClient;
let session: SessionHandle;
let toms: SessionHandle;

beforeAll(async () => {
  host = await terminalHost();
  mira = await host.connect({ clientInfo: { name: 'Mira' } });
  tom = await host.connect({ clientInfo: { name: 'Tom' } });
});
afterAll(() => host.remove());
beforeEach(async () => {
  session = await mira.createSession({ provider: 'mock' });
  toms = await tom.openSession(session.uri);
});

describe('a terminal that prints much', () => {
  it('[TERM13] is bounded in memory, holds up nobody, and shows a slow client its newest screen', LONG, async () => {
    const { terminal, screen } = await newTerminal(mira, session.uri);
    const gate = Promise.withResolvers<void>();
    const slow = new Screen();
    let got = 0;
    await toms.terminals.attach(terminal.uri, {
      onScreen: (text) => slow.onScreen(text),
      onOutput: async (data) => {
        got += data.length;
        await gate.promise;
        return slow.onOutput(data);
      },
    });
    const other = await host.connect();
    const pings: number[] = [];
    const before = process.memoryUsage().rss;
    await terminal.type(`head -c ${50 * MB} /dev/zero | tr '\\0' x | fold -w 79; echo END-$((1+1))\r`);
    let most = 0;
    let isOver = false;
    const pinging = (async () => {
      while (!isOver) {
        const from = performance.now();
        await other.ping();
        pings.push(performance.now() - from);
        most = Math.max(most, process.memoryUsage().rss - before);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    await screen.shows('END-2');
    isOver = true;
    await pinging;
    pings.sort((a, b) => a - b);
    const p95 = pings[Math.floor(pings.length * 0.95)] ?? 0;
    console.log(
      `50 MB: pings p95 ${p95.toFixed(1)} ms of ${pings.length}, memory +${Math.round(most / MB)} MB, slow client ${(got / MB).toFixed(2)} MB`,
    );
    // With two screens of 20,000 lines in this process.
    expect(most).toBeLessThan(250 * MB);
    expect(p95).toBeLessThan(500);
    // Not more than it may leave unconfirmed.
    expect(got).toBeLessThanOrEqual(MB);
    expect(slow.screens).toBe(1);
    gate.resolve();
    await slow.shows('END-2');
    expect(slow.screens).toBe(2);
    expect(slow.text.split('\n').slice(-20)).toEqual(screen.text.split('\n').slice(-20));
  });

  it('[TERM14] passes on 10,000 lines of odd bytes with every whole character', LONG, async () => {
    const { terminal } = await newTerminal(mira, session.uri);
    const lines = Array.from({ length: 10_000 }, (_, at) => {
      const odd = randomBytes(at % 40).map((byte) => (byte === 0x0a || byte === 0x1b || byte === 0x9b ? 0xff : byte));
      return Buffer.concat([Buffer.from(`${at} €😀ß|`), odd, Buffer.from([0xf0, 0x9f, 0x0a])]);
    });
    await writeFile(join(host.folder, 'odd'), Buffer.concat(lines));
    let output = '';
    let isWhole = true;
    const done = Promise.withResolvers<void>();
    await toms.terminals.attach(terminal.uri, {
      onScreen: () => {},
      onOutput: (data) => {
        isWhole &&= data.isWellFormed();
        output += data;
        if (output.includes('\nEND-2')) done.resolve();
      },
    });
    await terminal.type('cat odd; echo END-$((1+1))\r');
    await done.promise;
    expect(isWhole).toBe(true);
    let at = 0;
    for (let line = 0; line < 10_000; line++) {
      at = output.indexOf(`${line} €😀ß|`, at);
      if (at < 0) throw new Error(`line ${line} is missing`);
    }
    let late = '';
    const onScreen = (text: string) => {
      late = text;
    };
    await toms.terminals.attach(terminal.uri, { onScreen, onOutput: () => {} });
    expect(late.isWellFormed()).toBe(true);
    expect(late).toContain('9999 €😀ß|');
    expect(late.length).toBeLessThan(400_000);
  });

  it('[TERM3] has a free keyboard after five seconds without a key', LONG, async () => {
    const { terminal } = await newTerminal(mira, session.uri);
    const screen = new Screen();
    const attached = await toms.terminals.attach(terminal.uri, screen);
    await terminal.type('echo a');
    expect(await attached.type('x')).toBe(false);
    await vi.waitFor(() => expect(attached.info.value?.keyboard.isTyping).toBe(false), { timeout: 20_000 });
    expect(await attached.type('nd b\r')).toBe(true);
    await screen.shows('\nand b');
    expect(attached.info.value?.keyboard).toMatchObject({ isTyping: true, by: { name: 'Tom' } });
  });

  it('[TERM15] draws a full-screen program again for who comes later', LONG, async () => {
    const { terminal, screen } = await newTerminal(mira, session.uri);
    // It draws its frame once, and again only when its size changes, as most programs do.
    const program = `
      const draw = () => process.stdout.write('\\x1b[2J\\x1b[1;1HFRAME ' + process.stdout.rows + '\\x1b[5;1H');
      process.stdout.write('\\x1b[?1049h'); draw(); process.stdout.on('resize', draw);
      let n = 0; const print = () => { for (let i = 0; i < 2000 && n < 60000; i++, n++) process.stdout.write('\\x1b[5;1Hcount ' + n + ' '); if (n < 60000) setTimeout(print, 1); }; print();
      setInterval(() => {}, 1000);`;
    await writeFile(join(host.folder, 'full.mjs'), program);
    await terminal.type(`${process.execPath} full.mjs\r`);
    await screen.shows('count 59999');
    expect(screen.text).toContain('FRAME 24');
    const late = new Screen();
    await toms.terminals.attach(terminal.uri, late);
    await late.shows('FRAME 24');
  });

  it('[TERM7] ends with the host', LONG, async () => {
    const own = await terminalHost();
    const client = await own.connect();
    const made = await client.createSession({ provider: 'mock' });
    const { terminal, screen } = await newTerminal(client, made.uri);
    await terminal.type("trap '' HUP TERM; echo pid:$$:; sleep 987\r");
    await vi.waitFor(() => expect(screen.text).toMatch(/pid:\d+:/), { timeout: 20_000 });
    const pid = Number(/pid:(\d+):/.exec(screen.text)?.[1]);
    process.kill(pid, 0);
    await own.remove();
    expect(() => process.kill(pid, 0)).toThrow();
  });

  it('[TERM7] does not outlive a host that was killed, once the next one runs', LONG, async () => {
    const stateDir = await temporaryFolder();
    const args = ['--state-dir', stateDir, '--enable-mock-agent'];
    const env = { HOME: stateDir, SHELL: '/bin/bash' };
    const killed = await spawnHost(stateDir, args, env);
    const client = await connect({ url: killed.url, token: killed.token });
    const made = await client.createSession({ provider: 'mock' });
    const screen = new Screen();
    const terminal = await client.terminalsOf(made.uri).create({ columns: 80, rows: 24 }, screen);
    // It ends neither with its terminal nor by a polite signal.
    await terminal.type('setsid sh -c \'trap "" HUP TERM; echo pid:$$:; while :; do sleep 9; done\' &\r');
    await vi.waitFor(() => expect(screen.text).toMatch(/pid:\d+:/), { timeout: 20_000 });
    const pid = Number(/pid:(\d+):/.exec(screen.text)?.[1]);
    client.close();
    expect(isRunning(pid)).toBe(true);
    await killed.kill('SIGKILL');
    const next = await spawnHost(stateDir, args, env);
    // Nobody may have taken its exit code.
    await vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 10_000 });
    await next.kill('SIGTERM');
    await rm(stateDir, { recursive: true, force: true, maxRetries: 5 });
  });
});
