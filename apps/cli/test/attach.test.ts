import type { HostClient, SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startRestartableHost } from '../../../test/support/restartableHost.js';
import { Terminal } from '../../../test/support/terminal.js';
import { startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';

const ESC = '\u001b';
const PAGE_UP = `${ESC}[5~`;
const CTRL_C = '\u0003';

describe('agenthost attach', () => {
  let host: TestHost;
  let browser: HostClient;
  let session: SessionHandle;
  const terminals: Terminal[] = [];

  beforeEach(async () => {
    host = await startTestHost();
    browser = await host.connect({ clientInfo: { name: 'Mira', device: 'iPhone' } });
    session = await browser.createSession({ provider: 'mock' });
    await session.ready();
    await session.rename('The first one');
  });
  afterEach(async () => {
    await Promise.all(terminals.splice(0).map((terminal) => terminal.dispose()));
    await host.dispose();
  });

  function attach(args: readonly string[] = [], size: { columns?: number; rows?: number } = {}): Terminal {
    const env = { AGENTHOST_HOME: host.stateDir };
    const terminal = Terminal.inShell(['attach', ...args], { env, cwd: host.stateDir, ...size });
    terminals.push(terminal);
    return terminal;
  }

  /** The terminal is as it was: the shell reads lines again, and shows what is typed. */
  async function isRestored(terminal: Terminal, exitCode: number): Promise<void> {
    await terminal.until(`ended with ${exitCode}`, /(?<!-)isig/);
    expect({
      isAlternate: terminal.isAlternateScreen,
      pastes: terminal.isBracketedPaste,
      cursor: terminal.isCursorVisible,
      modes: [...terminal.text.matchAll(/-?\b(icanon|echo|isig)\b/g)].map(([mode]) => mode).sort(),
    }).toEqual({ isAlternate: false, pastes: false, cursor: true, modes: ['echo', 'icanon', 'isig'] });
    terminal.type('still here\r');
    await terminal.until('read still here');
    expect(await terminal.exited).toBe(0);
  }

  const ended = (count: number) =>
    until(
      session.confirmed,
      ({ turns, activeTurn }) => turns.length === count && !activeTurn,
      `${count} turns`,
      20_000,
    );

  it('shows the kind and the address of an image or a sound, in an answer and in a tool result', async () => {
    await session.send('image');
    await ended(1);
    await session.send('audio tool');
    await ended(2);
    const terminal = attach(['last'], { columns: 200, rows: 40 });
    await terminal.until(
      'Here is a picture:',
      /· image, \d+ (bytes|KB), image\/png: mock:\/\/\S+\/agent-[0-9a-f]{64}\.png/,
      'Made a sound',
      / {2}audio, 4 KB, audio\/wav: mock:\/\/\S+\/agent-[0-9a-f]{64}\.wav/,
    );
  });

  it('lists sessions, opens one, sends typed text and shows the answer, in sync with other clients', async () => {
    const terminal = attach();
    await terminal.until('The first one', 'No session is open');
    terminal.type('\r');
    await terminal.until('Write a message');
    terminal.type('hello\r');
    await terminal.until('› hello', 'Hello, world!');
    const { turns } = await ended(1);
    expect(turns[0]).toMatchObject({ userMessage: { text: 'hello' }, by: { name: 'tester' } });
    await session.send('reasoning');
    await terminal.until('by Mira, on iPhone', '› reasoning', 'The answer is 42.');
    await session.rename('Renamed by Mira');
    await terminal.until('Renamed by Mira · mock');
    const other = await browser.createSession({ provider: 'mock' });
    await other.rename('A second one');
    await terminal.until('A second one');
    terminal.type(CTRL_C);
    await terminal.until('Ctrl+C again leaves.');
    terminal.type(CTRL_C);
    await isRestored(terminal, 0);
  });

  it('takes no answer while one writes, and says when another client was faster', async () => {
    const terminal = attach([session.uri]);
    await terminal.until('Write a message');
    terminal.type('ma');
    await terminal.until('❯ ma');
    await session.send('confirm-tool');
    await terminal.until('? Run?', 'make', 'Tab, then a key, answers it');
    // A letter while one writes is a letter.
    terminal.type('y');
    await terminal.until('❯ may');
    expect(session.pendingConfirmations.value).toHaveLength(1);
    terminal.type('\t');
    await terminal.until('y Allow once', 'n Deny', 'e Change it');
    terminal.type('e');
    await terminal.until('Run this instead');
    terminal.type(' -j2\r');
    await ended(1);
    await terminal.until('Ran it (exit 0)', '$ make -j2');
    await session.send('confirm-tool');
    await terminal.until('? Run?');
    await session.pendingConfirmations.value[0]?.deny({ reason: 'not now' });
    await terminal.until('Denied by Mira, on iPhone', 'Not run: not now.');
    await session.send('question');
    await terminal.until('? Which colour?', '❯ may');
    terminal.type('\t');
    await terminal.until('1 Red', '2 Blue', 't Type an answer');
    terminal.type('2');
    await terminal.until('You answered: blue', '❯ may');
  });

  it('lets a question take the keys while nothing is typed, and shows it once', async () => {
    const terminal = attach([session.uri], { rows: 40 });
    await terminal.until('Write a message');
    await session.send('confirm-tool');
    await terminal.until('? Run?', 'y Allow once · n Deny · e Change it');
    expect(terminal.text.match(/Run\?/g)).toHaveLength(1);
    expect(terminal.text.match(/make/g)).toHaveLength(1);
    terminal.type('y');
    await ended(1);
    await terminal.until('Ran it (exit 0)', '$ make', 'Write a message');
    await session.send('question');
    await terminal.until('1 Red', '2 Blue', 't Type an answer');
    terminal.type('t');
    await terminal.until('Your answer');
    terminal.type('green\r');
    await terminal.until('You answered: green');
  });

  it('starts a message with a key that answers nothing, and after Esc with every key', async () => {
    const terminal = attach([session.uri]);
    await terminal.until('Write a message');
    await session.send('confirm-tool');
    await terminal.until('y Allow once');
    terminal.type('q');
    await terminal.until('❯ q', 'Tab, then a key, answers it');
    terminal.type('y');
    await terminal.until('❯ qy');
    terminal.type('\u007f\u007f');
    await terminal.until('y Allow once');
    // Ctrl+Y is not Y, nor is Ctrl+S, which steers, the S of "in this session".
    terminal.type('\u0019');
    terminal.type('\u0013');
    terminal.type(ESC);
    await terminal.until('Tab, then a key, answers it');
    terminal.type('y');
    await terminal.until('❯ y');
    terminal.type('\u007f');
    await terminal.until('Tab, then a key, answers it', () => !terminal.text.includes('❯ y'));
    expect(session.pendingConfirmations.value).toHaveLength(1);
    // Fast typing comes in one piece: it is a text, whatever its first letter is.
    await session.pendingConfirmations.value[0]?.deny();
    await ended(1);
    await session.send('confirm-tool');
    await terminal.until('y Allow once');
    terminal.type('yes');
    await terminal.until('❯ yes');
    expect(session.pendingConfirmations.value).toHaveLength(1);
  });

  it('does not take a key for an answer to a question that has just appeared', async () => {
    const terminal = attach([session.uri]);
    await terminal.until('Write a message');
    await session.send('confirm-tool');
    await terminal.until('y Allow once');
    // Keys do what the screen says, and at first it said this.
    const [first, then] = ['Tab, then a key, answers it', 'y Allow once'].map((text) => terminal.output.indexOf(text));
    expect(first).toBeGreaterThan(0);
    expect(then).toBeGreaterThan(first ?? 0);
  });

  it('does not apply an edited command to another prompt that is asked meanwhile', async () => {
    const terminal = attach([session.uri]);
    await terminal.until('Write a message');
    await session.send('confirm-tool');
    await session.queue('confirm-read');
    await terminal.until('? Run?', 'e Change it');
    terminal.type('e');
    await terminal.until('Run this instead');
    terminal.type(' -j2');
    await terminal.until('make -j2');
    await session.pendingConfirmations.value[0]?.deny();
    await terminal.until('? Read?', 'make -j2');
    terminal.type('\r');
    await terminal.until('Another client has answered meanwhile.');
    expect(session.pendingConfirmations.value).toMatchObject([{ toolCall: { displayName: 'Read' } }]);
  });

  it('queues while a turn runs, edits the last queued message, steers, and stops the turn', async () => {
    const terminal = attach([session.uri]);
    await terminal.until('Write a message');
    terminal.type('slow\r');
    await terminal.until('Enter queues it', '1 2 3');
    terminal.type('later\r');
    await terminal.until('1. later');
    terminal.type(`${ESC}[A`);
    await terminal.until('❯ later');
    terminal.type(' on\r');
    await terminal.until('1. later on');
    // The terminal shows it before the host has it, and so before any other client.
    const isChanged = ({ queuedMessages = [] }: typeof session.confirmed.value) =>
      queuedMessages.map(({ userMessage }) => userMessage.text).join() === 'later on';
    await until(session.confirmed, isChanged, 'the changed message', 60_000);
    terminal.type('and then\r');
    await terminal.until('2. and then');
    await until(session.confirmed, ({ queuedMessages = [] }) => queuedMessages.length === 2, 'both', 60_000);
    terminal.type(CTRL_C);
    await terminal.until(
      '– Stopped',
      '2 messages held, because the turn was stopped: Ctrl+R sends them',
      '1. later on',
    );
    const held = await ended(1);
    expect(held.turns.map(({ holdsQueue }) => holdsQueue)).toEqual([true]);
    // Another client sees it held too, and a message that is sent now goes first.
    expect(session.confirmed.value.queuedMessages).toHaveLength(2);
    terminal.type('\u0012');
    await terminal.until('You said: later on', 'You said: and then');
    const { turns } = await ended(3);
    expect(terminal.text).not.toContain('held, because');
    expect(turns.map(({ state }) => state)).toEqual(['cancelled', 'complete', 'complete']);
    terminal.type('steer\r');
    await terminal.until('Waiting to be steered.');
    terminal.type('left\u0013');
    await terminal.until('Steered: left');
  });

  it("offers the agent's commands after a slash, and Tab completes one", async () => {
    await session.send('commands');
    await ended(1);
    const terminal = attach(['last']);
    await terminal.until('Said.', 'Write a message');
    terminal.type('/');
    await terminal.until('Tab: /review · /reset /plan');
    terminal.type('res');
    await terminal.until('Tab: /reset · Forgets what was said.');
    terminal.type('\tall');
    await terminal.until('❯ /reset all');
    terminal.type('\r');
    await terminal.until('You said: /reset all');
  });

  it('fits a resized window, and scrolls', async () => {
    for (let n = 1; n <= 12; n++) await session.queue(`line ${n}`);
    await ended(12);
    const terminal = attach([session.uri], { columns: 120, rows: 24 });
    await terminal.until('Sessions', '› line 12');
    terminal.resize(60, 16);
    await terminal.until('› line 12', /⏎ send .*…$/, () => !terminal.text.includes('Sessions'));
    terminal.type(PAGE_UP);
    await terminal.until('› line 10', () => !terminal.text.includes('› line 12'));
    terminal.type('\u0007');
    await terminal.until('› line 12');
    terminal.type('\t');
    await terminal.until('Sessions', () => !terminal.text.includes('› line 12'));
    terminal.resize(120, 24);
    await terminal.until('Sessions', '› line 12', 'The first one');
    terminal.type('q');
    await isRestored(terminal, 0);
  });

  it('creates, renames, searches, archives, forks and deletes sessions', async () => {
    await session.send('hello');
    await ended(1);
    const terminal = attach();
    await terminal.until('The first one');
    terminal.type('r');
    await terminal.until('Rename');
    terminal.type('!\r');
    await until(session.confirmed, ({ summary }) => summary.title === 'The first one!', 'the title');
    terminal.type('f');
    await terminal.until('The first one! (fork)', 'Hello, world!');
    terminal.type('\tn');
    await terminal.until('New session', 'Mock', 'Shell');
    terminal.type('\r');
    await terminal.until('Untitled', 'Write a message');
    expect((await browser.listSessions()).total).toBe(3);
    terminal.type('\t/world');
    await terminal.until('Sessions “world”', () => !terminal.text.includes('Untitled  '));
    terminal.type(`${ESC}`);
    await terminal.until('The first one! (fork)', () => !terminal.text.includes('“world”'));
    terminal.type('D');
    await terminal.until('for good?');
    terminal.type('y');
    await expect.poll(async () => (await browser.listSessions()).total, { timeout: 10_000 }).toBe(2);
    // The row that was deleted is the chosen one until the terminal has heard of it.
    await terminal.until(() => !/Untitled +\d+s/.test(terminal.text));
    terminal.type('e');
    const archived = async () => (await browser.listSessions({ filter: { isArchived: true } })).total;
    await expect.poll(archived, { timeout: 10_000 }).toBe(1);
  });

  it('shows escape sequences of agents without executing them', async () => {
    const terminal = attach([session.uri]);
    await terminal.until('Write a message');
    await session.send(`${ESC}]0;owned\u0007${ESC}[2J${ESC}[31mred \u202Egnp.exe`);
    await terminal.until('You said: red ⟨U+202E⟩gnp.exe');
    expect(terminal.output).not.toContain('owned');
    expect(terminal.output).not.toContain('\u202E');
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('restores the terminal when it gets %s', async (signal, exitCode) => {
    const terminal = attach([session.uri]);
    await terminal.until('Write a message');
    await signalChild(terminal.pid, signal);
    await isRestored(terminal, exitCode);
  });

  it('restores the terminal and says why when the token is rotated', async () => {
    const terminal = attach([session.uri]);
    await terminal.until('Write a message');
    const { TokenFile } = await import('../../../packages/host/src/server/access/tokenFile.js');
    await new TokenFile(host.stateDir).rotate();
    await terminal.until('refused the token', 'agenthost token show');
    await isRestored(terminal, 5);
  });

  it('tells a viewer why keys do nothing, and ignores them', async () => {
    const { DeviceTokens } = await import('../../../packages/host/src/server/access/deviceTokens.js');
    const token = await new DeviceTokens(host.stateDir).add('screen', 'viewer');
    await expect.poll(() => host.connect({ token }).then(() => 'open', String), { timeout: 20_000 }).toBe('open');
    const terminal = attach([session.uri, '--token', token]);
    await terminal.until('This device may only watch (role viewer).');
    await session.send('confirm-tool');
    await terminal.until('? Run', /may only watch[\s\S]*may only watch/);
    terminal.type('a message\r\ty?');
    await terminal.until('send, or queue while a turn runs');
    expect(session.state.value).toMatchObject({ turns: [], activeTurn: { userMessage: { text: 'confirm-tool' } } });
    expect(session.state.value.queuedMessages).toBeUndefined();
  });

  it('ends with its terminal, and leaves no process behind', async () => {
    const terminal = Terminal.run(['attach', session.uri], { env: { AGENTHOST_HOME: host.stateDir } });
    terminals.push(terminal);
    await terminal.until('Write a message');
    await until(session.confirmed, ({ clients }) => clients?.length === 2, 'both');
    terminal.kill('SIGHUP');
    await until(session.confirmed, ({ clients }) => clients?.length === 1, 'one of them');
    expect(await terminal.exited).toBe(129);
  });
});

describe('agenthost attach, when the host stops', () => {
  it('says so, counts down, keeps the typed text, and continues when the host is back', async () => {
    const host = await startRestartableHost();
    const terminal = Terminal.inShell(['attach', '--url', host.url.href, '--token', host.token]);
    try {
      const client = await host.connect();
      const session = await client.createSession({ provider: 'mock' });
      await session.ready();
      await session.rename('Survivor');
      await terminal.until('Survivor');
      terminal.type('\r');
      await terminal.until('Write a message');
      await host.end('SIGKILL');
      await terminal.until(
        /The host isn't answering\. Reconnecting in \d+ s, attempt \d+\. You see the state of \d\d:/,
      );
      terminal.type('hello\r');
      await terminal.until('› hello');
      await host.start();
      await terminal.until('Hello, world!', () => !terminal.text.includes("isn't answering"));
      await until(session.confirmed, ({ turns }) => turns.length === 1, 'the turn, once', 20_000);
      terminal.type('\u0004');
      await terminal.until('ended with 0');
    } finally {
      await terminal.dispose();
      await host.dispose();
    }
  });
});

/** To the command in the shell, not to the shell. */
async function signalChild(shell: number, signal: NodeJS.Signals): Promise<void> {
  const { readFile } = await import('node:fs/promises');
  const children = await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8');
  const child = Number(children.trim().split(' ')[0]);
  // 0 would be this process and all its own.
  if (!(child > 1)) throw new Error('the terminal has nothing to signal');
  process.kill(child, signal);
}
