import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AttachedTerminal,
  createWebSocketTransport,
  type HostClient,
  type SessionHandle,
} from '@agenthost/client';
import type { SharedTerminal } from '@agenthost/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { RawClient } from '../../support/rawClient.js';
import { newTerminal, Screen, SIZE, terminalHost } from '../../support/sharedTerminal.js';

let host: Awaited<ReturnType<typeof terminalHost>>;
let mira: HostClient;
let tom: HostClient;
let session: SessionHandle;
let toms: SessionHandle;
/** Ends Mira's connection, as a network does. */
let cut: () => void;

beforeAll(async () => {
  host = await terminalHost();
  const { url, token } = host;
  mira = await host.connect({
    clientInfo: { name: 'Mira' },
    transport: async (signal: AbortSignal) => {
      const transport = await createWebSocketTransport({ url, token, signal });
      cut = () => transport.close({ code: 4_000, message: 'cut' });
      return transport;
    },
  });
  tom = await host.connect({ clientInfo: { name: 'Tom' } });
});
afterAll(() => host.remove());
beforeEach(async () => {
  session = await mira.createSession({ provider: 'mock' });
  toms = await tom.openSession(session.uri);
  onTestFinished(async () => {
    for (const one of [session, toms]) one.dispose();
    await mira.disposeSession(session.uri).catch(() => undefined);
  });
});

async function both() {
  const { terminal, screen } = await newTerminal(mira, session.uri);
  const other = new Screen();
  const attached = await toms.terminals.attach(terminal.uri, other);
  return { terminal, screen, other, attached };
}

const typist = ({ info }: { info: { value: SharedTerminal | undefined } }) => info.value?.keyboard;

describe('shared terminals', () => {
  it('[TERM1] run the shell of the user in the folder of the session, without the secrets of the host', async () => {
    const { terminal, screen } = await newTerminal(mira, session.uri);
    await terminal.type('echo "$PWD|$HOST_SECRET|$AGENTHOST_TOKEN|"; shopt -q login_shell && echo login\r');
    await screen.shows(`${host.folder}|||`);
    await screen.shows('\nlogin');
    expect(terminal.info.value).toMatchObject({ title: 'bash', ...SIZE, session: session.uri });
  });

  it('[TERM2] show the same to all, and who comes later sees the screen as it is', async () => {
    const { terminal, screen, other } = await both();
    await terminal.type('echo one-$((1+1))\r');
    await Promise.all([screen.shows('one-2'), other.shows('one-2')]);
    const late = new Screen();
    await toms.terminals.attach(terminal.uri, late);
    await late.shows('one-2');
    expect(late.text).toBe(screen.text);
  });

  it('[TERM3] have one keyboard: others wait, or take it', {
    timeout: 20_000,
  }, async () => {
    const { terminal, attached, other } = await both();
    expect(await terminal.type('echo mi')).toBe(true);
    await until(() => typist(attached)?.isTyping === true && typist(attached)?.by.name === 'Mira');
    expect(await attached.type('never')).toBe(false);
    await attached.takeKeyboard();
    await until(() => typist(terminal)?.by.name === 'Tom');
    expect(await terminal.type('never')).toBe(false);
    expect(await attached.type('xed\r')).toBe(true);
    await other.shows('\nmixed');
    expect(other.text).not.toContain('never');
  });

  it('[TERM4] have the size of whoever types', async () => {
    const { terminal, attached, other } = await both();
    await attached.resize({ columns: 100, rows: 30 });
    expect(terminal.info.value).toMatchObject(SIZE);
    await attached.takeKeyboard();
    await until(() => terminal.info.value?.columns === 100);
    await attached.type('stty size\r');
    await other.shows('\n30 100');
    await attached.resize({ columns: 60, rows: 20 });
    await until(() => terminal.info.value?.columns === 60);
    await terminal.resize({ columns: 90, rows: 20 });
    await attached.type('stty size\r');
    await other.shows('\n20 60');
  });

  it('[TERM5] type what was sent exactly once and in order, over lost connections', async () => {
    const { terminal, attached, screen } = await both();
    // What is typed while the shell edits its line is read in another mode.
    await terminal.type('echo begun-$((1+1)); cat > typed\r');
    await screen.shows('begun-2');
    const numbers = Array.from({ length: 300 }, (_, at) => at);
    const typed: Promise<boolean>[] = [];
    for (const at of numbers) {
      typed.push(terminal.type(`line ${at}\r`));
      if (at % 100 === 50) {
        await typed[at - 20];
        cut();
      }
    }
    expect((await Promise.all(typed)).every(Boolean)).toBe(true);
    await terminal.type('\x04');
    const wanted = numbers.map((at) => `line ${at}\n`).join('');
    await until(async () => (await readFile(join(host.folder, 'typed'), 'utf8')) === wanted);
    attached.detach();
  });

  it('[TERM6] say how their program ended, stay to be read, and go when they are closed', async () => {
    const { terminal, screen, other, attached } = await both();
    await terminal.type('echo last words; exit 3\r');
    await until(() => attached.info.value?.exitCode === 3);
    await other.shows('\nlast words');
    expect(await terminal.type('more')).toBe(false);
    const late = new Screen();
    await toms.terminals.attach(terminal.uri, late);
    await late.shows('\nlast words');
    expect(late.text).toBe(screen.text);
    await toms.terminals.close(terminal.uri);
    await until(() => terminal.info.value === undefined);
    expect(await session.terminals.list()).toEqual([]);
    await expect(toms.terminals.attach(terminal.uri, late)).rejects.toThrow('closed');
  });

  it('[TERM7] end with everything that they started', async () => {
    const { terminal, screen } = await newTerminal(mira, session.uri);
    await terminal.type("setsid sh -c 'echo pid:$$:; exec sleep 987' &\r");
    await screen.shows('pid:');
    await until(() => /pid:\d+:/.test(screen.text));
    const pid = Number(/pid:(\d+):/.exec(screen.text)?.[1]);
    expect(isAlive(pid)).toBe(true);
    await mira.disposeSession(session.uri);
    await until(() => !isAlive(pid));
    await until(() => terminal.info.value === undefined);
  });

  it('[TERM8] are few, and those that have ended give way', async () => {
    const all: AttachedTerminal[] = [];
    for (let at = 0; at < 6; at++) all.push(await session.terminals.create(SIZE, new Screen()));
    expect((await toms.terminals.list()).map(({ title }) => title)).toEqual([
      'bash',
      'bash 2',
      'bash 3',
      'bash 4',
      'bash 5',
      'bash 6',
    ]);
    await expect(session.terminals.create(SIZE, new Screen())).rejects.toThrow('This session has 6 terminals already');
    await all[2]?.type('exit\r');
    await until(() => all[2]?.info.value?.exitCode === 0);
    await session.terminals.create(SIZE, new Screen());
    expect(await toms.terminals.list()).toHaveLength(6);
  });

  it('[TERM9] can be watched by viewers and approvers, who type nothing', async () => {
    const { terminal } = await newTerminal(mira, session.uri);
    const tokens = new DeviceTokens(host.stateDir);
    for (const role of ['viewer', 'approver'] as const) {
      const token = await tokens.add(role, role);
      const client = await host.connect({ token });
      const watched = await client.openSession(session.uri);
      const screen = new Screen();
      const attached = await watched.terminals.attach(terminal.uri, screen);
      await terminal.type(`echo for-${role}\r`);
      await screen.shows(`\nfor-${role}`);
      for (const refused of [
        attached.type('x'),
        attached.takeKeyboard(),
        attached.resize(SIZE),
        attached.close(),
        watched.terminals.create(SIZE, screen),
      ]) {
        await expect(refused).rejects.toThrow('driver');
      }
      client.close();
    }
  });

  it('[TERM10] answer the questions of a program once, and not again for an old screen', async () => {
    const { terminal, screen, attached, other } = await both();
    await terminal.type("printf 'asked\\033[c\\033[6n\\033]11;?\\007'; read -rsn1 -t 5 -d c reply; echo got:$reply:\r");
    await screen.shows('asked');
    expect(await attached.type('\x1b[?1;2c')).toBe(false);
    expect(await terminal.type('\x1b[?1;2c')).toBe(true);
    await other.shows('got:');
    let late = '';
    const watching = await toms.terminals.attach(terminal.uri, {
      onScreen: (text) => (late = text),
      onOutput: () => {},
    });
    expect(late).toContain('asked');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences are looked for
    expect(late).not.toMatch(/\x1b\[c|\x1b\[6n|\x1b\]11/);
    watching.detach();
  });

  it('[TERM11] keep nothing of what is typed or printed in any file of the host', async () => {
    const { terminal, screen } = await newTerminal(mira, session.uri);
    await terminal.type('echo pass-$((6*7))word\r');
    await screen.shows('pass-42word');
    await session.send('hello');
    const files = await readdir(host.stateDir, { recursive: true, withFileTypes: true });
    for (const file of files) {
      if (!file.isFile()) continue;
      const content = await readFile(join(file.parentPath, file.name)).catch(() => Buffer.from(''));
      expect([file.name, content.includes('pass-42word') || content.includes('6*7')]).toEqual([file.name, false]);
    }
  });

  it('[TERM5] type nothing that has arrived already', async () => {
    const { terminal, screen } = await newTerminal(mira, session.uri);
    const raw = await RawClient.open(host);
    await raw.request('initialize', { protocolVersion: 2, clientId: 'raw' });
    const input = { terminal: terminal.uri, seq: 7, data: 'echo on-ce\r' };
    expect(await raw.request('sendToTerminal', input)).toEqual({ isTyped: true });
    expect(await raw.request('sendToTerminal', input)).toEqual({ isTyped: true });
    await raw.request('sendToTerminal', { ...input, seq: 8, data: 'echo la-st\r' });
    await screen.shows('\nla-st');
    expect(screen.text.match(/\non-ce/g)).toHaveLength(1);
    expect(await raw.request('attachTerminal', { terminal: terminal.uri })).toMatchObject({ seq: 8 });
    await raw.end();
  });

  it('[TERM5] tell again that something was not typed, when the answer was lost', async () => {
    const { terminal } = await newTerminal(mira, session.uri);
    await terminal.type('echo mi');
    const raw = await RawClient.open(host);
    await raw.request('initialize', { protocolVersion: 2, clientId: 'raw' });
    const input = { terminal: terminal.uri, seq: 1, data: 'never' };
    expect(await raw.request('sendToTerminal', input)).toEqual({ isTyped: false });
    expect(await raw.request('sendToTerminal', { ...input, seq: 2, take: true, data: 'x' })).toEqual({ isTyped: true });
    expect(await raw.request('sendToTerminal', input)).toEqual({ isTyped: false });
    expect(await raw.request('sendToTerminal', { ...input, seq: 2 })).toEqual({ isTyped: true });
    await raw.end();
  });

  it('[TERM16] of another space do not exist', async () => {
    const { terminal } = await newTerminal(mira, session.uri);
    const token = await new DeviceTokens(host.stateDir).add('elsewhere', 'driver', 'elsewhere');
    const raw = await RawClient.open({ url: host.url, token });
    await raw.request('initialize', { protocolVersion: 2, clientId: 'elsewhere' });
    const uri = { terminal: terminal.uri };
    for (const [method, params] of [
      ['attachTerminal', uri],
      ['confirmTerminal', { ...uri, offset: 1 }],
      ['detachTerminal', uri],
      ['sendToTerminal', { ...uri, seq: 1, data: 'x' }],
      ['closeTerminal', uri],
    ] as const) {
      expect([method, (await raw.refusal(method, params))?.message]).toEqual([method, 'This terminal was closed.']);
    }
    const missing = (await raw.refusal('listTerminals', { session: session.uri }))?.message;
    expect(missing).toContain('no session');
    await raw.end();
  });

  it('[TERM17] are not shown by a read-only link', async () => {
    const { token } = await mira.devices.share({ session: session.uri, validMs: 60_000, name: 'link' });
    const raw = await RawClient.open({ url: host.url, token });
    await raw.request('initialize', { protocolVersion: 2, clientId: 'link' });
    await raw.request('subscribe', { resource: session.uri });
    const { terminal } = await newTerminal(mira, session.uri);
    expect((await raw.refusal('attachTerminal', { terminal: terminal.uri }))?.message).toContain('read only');
    expect((await raw.refusal('listTerminals', { session: session.uri }))?.message).toContain('read only');
    await raw.fence();
    expect(JSON.stringify(raw.received)).not.toContain('notify/terminal');
    await raw.end();
  });

  it('[TERM12] are unknown to clients of version 1', async () => {
    const old = await host.raw('old');
    await old.request('subscribe', { resource: session.uri });
    await newTerminal(mira, session.uri);
    await old.request('ping', {});
    expect(JSON.stringify(old.received)).not.toContain('notify/terminal');
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when it is so. */
async function until(isSo: () => boolean | Promise<boolean>, timeout = 10_000): Promise<void> {
  await vi.waitFor(async () => expect(await isSo()).toBe(true), { timeout, interval: 20 });
}
