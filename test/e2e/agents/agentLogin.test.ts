import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { HostClient, RunningLogin } from '@agenthost/client';
import { AcpAgents } from '@agenthost/host';
import type { RootState, SessionState } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { loginEntry, loginFile } from '../../support/agents/loginAgent.js';
import { agentInfo, stubEntry, stubSession, writeAgents } from '../../support/agents/stubAgent.js';
import { say, textOf } from '../../support/say.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

let stateDir: string;
const logged: string[] = [];

beforeEach(async () => {
  stateDir = await temporaryFolder();
  logged.length = 0;
});
afterEach(() => rm(stateDir, { recursive: true, force: true, maxRetries: 5 }));

const SIZE = { columns: 80, rows: 24 };
const LONG = { timeout: 60_000 };
const loginOf = (state: RootState, provider = 'stub') => agentInfo(state, provider)?.login;

async function start(entry: object): Promise<TestHost> {
  await writeAgents(stateDir, { stub: entry });
  const tell = (message: string, error?: unknown) => void logged.push(`${message} ${String(error)}`);
  const log = { error: tell, warn: tell, info: tell, debug: tell };
  const host = await startTestHost({ stateDir, log, agentSources: [new AcpAgents({ catalogue: [] })] });
  onTestFinished(() => host.dispose());
  return host;
}

/** A log-in with a screen that can be awaited. */
async function begin(
  client: HostClient,
  provider = 'stub',
): Promise<RunningLogin & { shows(text: string): Promise<void> }> {
  let screen = '';
  let look = () => {};
  const login = await client.logins.begin(provider, SIZE, {
    onOutput: (data) => {
      screen += data;
      look();
    },
  });
  const shows = (text: string) =>
    new Promise<void>((resolve) => {
      look = () => screen.includes(text) && resolve();
      look();
    });
  return { ...login, shows };
}

const lastTurn = ({ turns }: SessionState) => turns.at(-1);
const failed = (state: SessionState) => lastTurn(state)?.error?.errorType === 'authRequired';

describe('a turn without a log-in', () => {
  it('fails with what to do, and is sent again when somebody has logged in', LONG, async () => {
    const host = await start(loginEntry(stateDir));
    const [client, other] = [await host.connect(), await host.connect()];
    expect(loginOf(client.root.state.value)).toMatchObject({ state: 'unknown', key: { variable: 'STUB_KEY' } });
    const session = await stubSession(client);
    await session.send('hello');
    const { turns } = await until(session.confirmed, failed, 'the error', 30_000);
    expect(turns[0]?.error?.message).toBe(
      'Stub needs a log-in. Log in on the page or with "agenthost agents login stub"; then the message is sent again. It offers: A key (Set STUB_KEY).',
    );
    await until(other.root.state, (state) => loginOf(state)?.state === 'needed', 'the state');

    const login = await begin(client);
    await login.shows('9B2C-41F7');
    await login.resize({ columns: 100, rows: 30 });
    await login.type('open sesame\r');
    expect(await login.ended).toEqual({ isLoggedIn: true, message: 'Stub is logged in.' });
    await until(other.root.state, (state) => loginOf(state)?.state === 'ready', 'the state');
    expect(loginOf(other.root.state.value)).toMatchObject({ source: 'own', canLogOut: true });
    const answered = await until(session.confirmed, (state) => state.turns.length === 2, 'the answer', 30_000);
    expect(textOf(lastTurn(answered))).toBe('You said: hello');

    // Once: a further log-in has nothing to send.
    await client.logins.check('stub');
    expect(session.confirmed.value.turns).toHaveLength(2);

    await rm(loginFile(stateDir));
    await session.send('again');
    await until(session.confirmed, (state) => state.turns.length === 3 && failed(state), 'the second error', 30_000);
    await until(other.root.state, (state) => loginOf(state)?.state === 'expired', 'the expired log-in');

    // Somebody logs in without this host.
    await writeFile(loginFile(stateDir), '');
    expect(await client.logins.check('stub')).toMatchObject({ state: 'ready' });
    const last = await until(session.confirmed, (state) => state.turns.length === 4, 'the second answer', 30_000);
    expect(textOf(lastTurn(last))).toBe('You said: again');
  });

  it('is sent again with those before it, in their order', LONG, async () => {
    const host = await start(loginEntry(stateDir));
    const client = await host.connect();
    const session = await stubSession(client);
    for (const [index, text] of ['one', 'two', 'three'].entries()) {
      await session.send(text);
      await until(session.confirmed, (state) => state.turns.length === index + 1 && failed(state), text, 30_000);
    }
    await writeFile(loginFile(stateDir), '');
    await client.logins.check('stub');
    const { turns } = await until(session.confirmed, (state) => state.turns.length === 6, 'the answers', 30_000);
    expect(turns.slice(3).map(textOf)).toEqual(['You said: one', 'You said: two', 'You said: three']);
  });

  it('runs the terminal method of an agent that offers one', LONG, async () => {
    const env = { STUB_LOGIN: loginFile(stateDir), STUB_TERMINAL_LOGIN: '1' };
    const host = await start(stubEntry(stateDir, env));
    const client = await host.connect();
    expect(await client.logins.check('stub')).toMatchObject({
      state: 'needed',
      command: expect.stringContaining('--log-in'),
    });
    const login = await begin(client);
    expect(await login.ended).toMatchObject({ isLoggedIn: true });
  });
});

describe('point 17: a log-in program', () => {
  it('that fails, or leaves nobody logged in, says so', LONG, async () => {
    const host = await start(loginEntry(stateDir, 'fail'));
    const client = await host.connect();
    const message = 'The log-in program of Stub ended with exit code 3.';
    const shown: string[] = [];
    const first = await client.logins.begin(
      'stub',
      { columns: 300, rows: 24 },
      { onOutput: (data) => shown.push(data) },
    );
    expect(await first.ended).toEqual({ isLoggedIn: false, message });
    // Nobody else can put configuration of an agent there, or above it.
    const folder = /^(.*) has 0 files\.\r$/m.exec(shown.join(''))?.[1];
    expect(folder).toMatch(new RegExp(`^${stateDir}/agents/\\.empty-`));
    expect(existsSync(folder ?? stateDir)).toBe(false);
    await writeAgents(stateDir, { stub: loginEntry(stateDir, 'lie') });
    await until(client.root.state, (state) => loginOf(state)?.command?.includes(' lie ') === true, 'the new program');
    const lie = 'The log-in program of Stub ended, but Stub still needs a log-in.';
    expect(await (await begin(client)).ended).toEqual({ isLoggedIn: false, message: lie });
    expect(loginOf(client.root.state.value)?.state).toBe('needed');
  });

  it('that hangs runs once, ends when it is cancelled, and when its client leaves', LONG, async () => {
    const host = await start(loginEntry(stateDir, 'hang'));
    const [client, other] = [await host.connect(), await host.connect()];
    const login = await begin(client);
    await login.shows('Waiting');
    await expect(other.logins.begin('stub', SIZE, { onOutput: () => {} })).rejects.toThrow('runs already');
    await login.end();
    expect(await login.ended).toEqual({ isLoggedIn: false, message: 'The log-in was ended. It was cancelled.' });

    const second = await begin(client);
    await second.shows('Waiting');
    const running = await loginProcesses();
    expect(running).toBe(1);
    client.close();
    await expect(second.ended).rejects.toThrow('connection was lost');
    await expect.poll(loginProcesses, { timeout: 20_000 }).toBe(0);
    await (await begin(other)).end();

    const last = await begin(other);
    await last.shows('Waiting');
    await host.dispose();
    expect(await loginProcesses()).toBe(0);
  });

  it('that does not read what is typed is ended', LONG, async () => {
    const host = await start(loginEntry(stateDir, 'hang'));
    const client = await host.connect();
    const login = await begin(client);
    await login.shows('Waiting');
    for (let n = 0; n < 9; n++) await login.type('x'.repeat(16_384));
    const message = 'The log-in was ended. Too much was typed into it.';
    expect(await login.ended).toEqual({ isLoggedIn: false, message });
  });

  it('that floods is ended', LONG, async () => {
    const host = await start(loginEntry(stateDir, 'flood'));
    const client = await host.connect();
    let length = 0;
    const login = await client.logins.begin('stub', SIZE, {
      onOutput: (data) => {
        length += data.length;
      },
    });
    const message = 'The log-in was ended. It printed more than 1024 KiB.';
    expect(await login.ended).toEqual({ isLoggedIn: false, message });
    expect(length).toBeLessThanOrEqual(1024 * 1024);
  });

  it('is only for the owner who began it, and nothing of it is kept', LONG, async () => {
    const driver = await new DeviceTokens(stateDir).add('phone', 'driver');
    const host = await start(loginEntry(stateDir));
    const [client, other] = [await host.connect(), await host.connect()];
    const heard: string[] = [];
    other.onNotification(({ type }) => void heard.push(type));
    const login = await begin(client);
    await login.shows('Answer');
    const phone = await host.connect({ token: driver });
    await expect(phone.logins.begin('stub', SIZE, { onOutput: () => {} })).rejects.toThrow('role owner');
    await expect(phone.logins.setKey('stub', 'x')).rejects.toThrow('role owner');
    await expect(phone.logins.logOut('stub')).rejects.toThrow('role owner');
    const [mine, stranger] = [await host.raw('mine'), await host.raw('stranger')];
    await login.end();
    const { login: id } = await mine.request<{ login: string }>('beginLogin', { provider: 'stub', ...SIZE });
    await expect(stranger.request('sendToLogin', { login: id, data: 'x' })).rejects.toThrow('has ended');
    await mine.request('endLogin', { login: id });
    const last = await begin(client);
    await last.shows('Answer');
    await last.type('a secret answer\r');
    expect(await last.ended).toMatchObject({ isLoggedIn: false });
    await expect(login.type('more')).rejects.toThrow('has ended');
    expect(heard.filter((type) => type.startsWith('notify/login'))).toEqual([]);
    await host.dispose();
    expect(await traces('a secret answer')).toEqual([]);
    expect(await traces('9B2C-41F7')).toEqual([]);
  });
});

describe('point 17: a key', () => {
  const KEY = 'secret-stub-key-0123456789';

  it('is checked, kept for its agent alone, and removed by a log-out', LONG, async () => {
    const vendor = await startVendor(KEY);
    const host = await start(loginEntry(stateDir, 'code', { key: { variable: 'STUB_KEY', checkUrl: vendor.url } }));
    await writeAgents(stateDir, {
      stub: loginEntry(stateDir, 'code', { key: { variable: 'STUB_KEY', checkUrl: vendor.url } }),
      other: stubEntry(stateDir),
    });
    const client = await host.connect();
    await until(
      client.root.state,
      (state) => agentInfo(state, 'other')?.availability.state === 'available',
      'the other',
    );
    const frames = JSON.stringify(client.root.state.value);
    await expect(client.logins.setKey('stub', 'wrong-key')).rejects.toThrow('refused it. It was not saved');
    expect(existsSync(keyFile())).toBe(false);
    expect(await client.logins.setKey('stub', KEY)).toBe(true);
    expect((await stat(keyFile())).mode & 0o777).toBe(0o600);
    expect(loginOf(client.root.state.value)).toMatchObject({ state: 'ready', source: 'key', canLogOut: true });
    expect(frames + JSON.stringify(client.root.state.value)).not.toContain(KEY);

    const session = await stubSession(client);
    expect(await say(session, 'key')).toBe(`The key is ${KEY}`);
    const other = await client.createSession({ provider: 'other' });
    await other.ready();
    expect(await say(other, 'key')).toBe('The key is missing');

    await client.logins.logOut('stub');
    expect(existsSync(keyFile())).toBe(false);
    expect(loginOf(client.root.state.value)?.state).toBe('needed');
    // The agent that still had it in its environment was closed.
    await session.send('key');
    await until(session.confirmed, failed, 'the error', 30_000);
    expect(logged.filter((line) => line.includes(KEY))).toEqual([]);
  });

  it('is kept unchecked where nobody can be asked, and odd ones are refused', LONG, async () => {
    const key = { variable: 'STUB_KEY', checkUrl: 'http://127.0.0.1:1/' };
    const host = await start(loginEntry(stateDir, 'code', { key }));
    const client = await host.connect();
    for (const odd of ['two words', 'a\nb', 'x'.repeat(5_000), 'schlüssel']) {
      const refusal = await client.logins.setKey('stub', odd).catch(String);
      expect(refusal).toContain('printable characters');
      expect(refusal).not.toContain(odd);
    }
    expect(await client.logins.setKey('stub', KEY)).toBe(false);
    expect(loginOf(client.root.state.value)).toMatchObject({ state: 'unknown', source: 'key' });
    await host.dispose();
    expect(await traces(KEY)).toEqual([keyFile()]);
    expect(logged.filter((line) => line.includes(KEY))).toEqual([]);
  });

  it('is not taken for an agent that needs none', LONG, async () => {
    const host = await start(loginEntry(stateDir));
    const client = await host.connect();
    await expect(client.logins.setKey('mock', KEY)).rejects.toThrow('needs no log-in');
    await expect(client.logins.setKey('nobody', KEY)).rejects.toThrow('no agent for provider');
  });
});

function keyFile(): string {
  return join(stateDir, 'agents/stub.key');
}

/** Running log-in programs of this test's host. */
async function loginProcesses(): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line.includes(`hang\0${loginFile(stateDir)}`)).length;
}

/** The files of the state folder that contain the text. */
async function traces(text: string): Promise<string[]> {
  const entries = await readdir(stateDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(files.map(async (file) => ((await readFile(file)).includes(text) ? [file] : [])));
  return found.flat();
}

/** Says yes to one key. */
async function startVendor(key: string): Promise<{ readonly url: string }> {
  const server: Server = createServer((request, response) => {
    response.writeHead(request.headers.authorization === `Bearer ${key}` ? 200 : 401).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/models` };
}
