import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { ContentRef, SessionSummary, Turn } from '@agenthost/protocol';
import { turnContents } from '@agenthost/protocol/internal';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCli, startTestHost, type TestHost } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';

const refsOf = (turns: readonly Turn[]): ContentRef[] => turns.flatMap(turnContents);

describe('commands', () => {
  let host: TestHost;
  let client: HostClient;
  let session: SessionHandle;
  let id: string;

  beforeAll(async () => {
    host = await startTestHost();
    client = await host.connect({ clientInfo: { name: 'Mira' } });
  });
  afterAll(() => host.dispose());
  beforeEach(async () => {
    session = await client.createSession({ provider: 'mock' });
    await session.ready();
    id = session.uri.slice('mock:/'.length);
  });

  const run = (args: readonly string[], input?: string) => runCli(args, { AGENTHOST_HOME: host.stateDir }, input);
  async function ok(args: readonly string[], input?: string): Promise<string> {
    const { code, stdout, stderr } = await run(args, input);
    expect({ code, args, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, args, stderr: '' });
    return stdout;
  }
  const ended = (count: number) =>
    until(session.confirmed, ({ turns, activeTurn }) => turns.length === count && !activeTurn, `${count} turns`);

  describe('send', () => {
    it('prints the answer to standard output, and everything else to standard error', async () => {
      expect(await run(['send', id, 'use-tool'])).toEqual({
        code: 0,
        stdout: 'I will look. \nThere are two files.\n',
        stderr: '✓ Listed 2 files\n',
      });
      expect(await run(['send', id, 'use-tool', '--tools', 'output'])).toMatchObject({
        stdout: 'I will look. \na.txt\nb.txt\nThere are two files.\n',
      });
      expect(await run(['send', id, 'use-tool', '--tools', 'none'])).toMatchObject({ stderr: '' });
      expect(await run(['send', id, 'reasoning', '--reasoning'])).toMatchObject({
        stdout: 'The answer is 42.\n',
        stderr: expect.stringContaining('Let me think'),
      });
    });

    it('prints the kind and the address of an image', async () => {
      const line = /image, \d+ (bytes|KB), image\/png: mock:\/\/\S+\.png\n/;
      expect(await run(['send', id, 'image'])).toMatchObject({
        stdout: 'Here is a picture: \nThat was all.\n',
        stderr: expect.stringMatching(line),
      });
      const { stderr } = await run(['send', id, 'image tool']);
      expect(stderr).toMatch(new RegExp(`^✓ Made a picture\\n  ${line.source}$`));
      expect(await run(['send', id, 'image tool', '--tools', 'none'])).toMatchObject({ stderr: '' });
    });

    it('reports the outcome of the turn by its exit code', async () => {
      expect(await run(['send', id, 'error'])).toEqual({
        code: 10,
        stdout: 'This goes wrong.\n',
        stderr: '× The mock agent was told to fail.\n',
      });
      const cancelled = run(['send', id, 'slow']);
      await until(session.confirmed, ({ activeTurn }) => activeTurn !== undefined, 'the turn');
      await session.cancel();
      expect(await cancelled).toMatchObject({ code: 11, stderr: '– Stopped.\n' });
    });

    it('appends standard input to the message', async () => {
      expect(await ok(['send', id, '-'], 'from a pipe\n')).toBe('You said: from a pipe\n');
      expect(await ok(['send', id], 'also from a pipe')).toBe('You said: also from a pipe\n');
      expect(await ok(['send', id, 'review', 'this:', '-'], 'a\nb\n')).toBe('You said: review this:\n\na\nb\n');
    });

    it('creates a session in a folder', async () => {
      const made = await run(['send', '--new', '--agent', 'shell', '--cwd', host.stateDir, '--approve', 'all', 'pwd']);
      expect(made).toMatchObject({ code: 0, stdout: `${host.stateDir}\n` });
      const { items } = await client.listSessions({ limit: 1 });
      expect(items[0]).toMatchObject({ provider: 'shell' });
      expect(made.stderr).toContain(items[0]?.resource);
    });

    it('leaves questions open without a terminal, and says how to answer', async () => {
      expect(await run(['send', id, 'confirm-tool'])).toEqual({
        code: 12,
        stdout: '',
        stderr: `The agent waits for an answer: Run? make\nAnswer it with agenthost attach ${id}; --approve would have answered it.\n`,
      });
      expect(session.pendingConfirmations.value).toHaveLength(1);
      await session.pendingConfirmations.value[0]?.approve();
      await ended(1);
    });

    it.each([
      ['all', 'confirm-tool', 0, 'Done.'],
      ['none', 'confirm-tool', 13, 'Not run.'],
      ['reads', 'confirm-read', 0, 'It says nothing.'],
      ['all', 'permission', 0, 'Permission granted (allow).'],
      ['none', 'permission', 13, 'Permission denied (deny).'],
      ['none', 'question', 13, 'You did not answer.'],
      ['none', 'form', 13, 'You declined.'],
    ])('answers by --approve %s: %s', async (policy, message, code, answer) => {
      expect(await run(['send', id, message, '--approve', policy])).toMatchObject({ code, stdout: `${answer}\n` });
    });

    it('approves only read-only calls with --approve reads', async () => {
      expect(await run(['send', id, 'confirm-tool', '--approve', 'reads'])).toMatchObject({ code: 12 });
      for (const message of ['question', 'form']) {
        const asked = await run(['send', '--new', '--agent', 'mock', message, '--approve', 'all']);
        expect(asked).toMatchObject({ code: 12 });
      }
    });

    it('waits for the running turn, steers it, or does not wait at all', async () => {
      await session.send('steer');
      const later = run(['send', id, 'hello']);
      await until(session.confirmed, ({ queuedMessages }) => queuedMessages?.length === 1, 'the queue');
      await ok(['send', id, 'left', '--steer']);
      expect(await later).toEqual({
        code: 0,
        stdout: 'Hello, world!\n',
        stderr: '· Another turn runs; this one waits for its end.\n',
      });
      const [uri, turnId] = (await ok(['send', id, 'hello', '--detach'])).trim().split('\t');
      expect(uri).toBe(session.uri);
      await until(session.confirmed, ({ turns }) => turns.some((turn) => turn.id === turnId), 'that turn');
    });

    it('prints one JSON object per line with --json', async () => {
      const lines = (await ok(['send', id, 'use-tool', '--json'])).trim().split('\n');
      const events = lines.map((line) => JSON.parse(line) as { event: string; text?: string });
      expect(events.map(({ event }) => event)).toEqual(
        expect.arrayContaining(['turn', 'text', 'toolStarted', 'toolEnded', 'end']),
      );
      expect(events[0]).toMatchObject({ event: 'turn', session: session.uri });
      expect(events.at(-1)).toMatchObject({ event: 'end', state: 'complete' });
      expect(events.flatMap(({ event, text }) => (event === 'text' ? [text] : [])).join('')).toBe(
        'I will look. There are two files.',
      );
    });

    it('shows escape sequences without executing them', async () => {
      expect(await ok(['send', id, '\u001b]0;owned\u0007\u001b[31mred\u202E'])).toBe('You said: red⟨U+202E⟩\n');
    });

    it("prints the beginning and the end of a tool's long output", async () => {
      const { stdout, stderr } = await run(['send', id, 'big-output 200000', '--tools', 'output']);
      const omitted = [...stderr.matchAll(/… (\d+) characters left out/g)].map(([, count]) => Number(count));
      expect(stdout.length + omitted.reduce((sum, count) => sum + count, 0)).toBe(200_000);
    });
  });

  describe('ls and search', () => {
    it('list for programs and as JSON, with filters', async () => {
      await session.rename('Find\tme');
      await session.archive();
      expect(await ok(['ls'])).not.toContain(id);
      const line = (await ok(['ls', '--archived'])).split('\n').find((row) => row.startsWith(id));
      expect(line?.split('\t')).toEqual([
        id,
        'idle',
        'mock',
        expect.stringMatching(/^\d{4}-.*Z$/),
        'Find me',
        host.stateDir,
      ]);
      const { sessions, total } = JSON.parse(await ok(['ls', '--all', '--json', '--limit', '1'])) as {
        sessions: SessionSummary[];
        total: number;
      };
      expect(sessions).toHaveLength(1);
      expect(total).toBeGreaterThan(1);
      expect(await ok(['ls', '--status', 'running'])).toBe('');
      expect(await ok(['ls', '--agent', 'nobody'])).toBe('');
      expect(await ok(['ls', '--archived', '--cwd', host.stateDir])).toContain(id);
      expect(await ok(['ls', '--all', '--cwd', '/does/not/exist'])).toBe('');
    });

    it('search finds messages, and exits with 1 without a hit', async () => {
      await session.send('the quick brown wombat');
      await ended(1);
      expect(await ok(['search', 'brown', 'wombat'])).toContain(`${id}\t`);
      expect(JSON.parse(await ok(['search', 'wombat', '--json']))).toMatchObject({ total: 1 });
      expect(await run(['search', 'unheard-of'])).toEqual({
        code: 1,
        stdout: '',
        stderr: 'No session matches “unheard-of”.\n',
      });
    });
  });

  describe('naming a session', () => {
    it('accepts its URI, its id, the beginning of its id, or last', async () => {
      for (const name of [session.uri, id, id.slice(0, 8), 'last']) {
        await session.rename(`before ${name}`);
        await ok(['rename', name, 'now', name]);
        await until(session.confirmed, ({ summary }) => summary.title === `now ${name}`, name);
      }
    });

    it('lists the candidates when the name is ambiguous', async () => {
      for (const name of ['same-1', 'same-2'])
        await client.createSession({ provider: 'mock', session: `mock:/${name}` });
      const { code, stderr } = await run(['rename', 'same', 'x']);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^2 sessions begin with same: same-\d.*; same-\d.*\nGive more of the id\.\n$/);
      await ok(['rename', 'same-1', 'exactly', 'this']);
      for (const [name, exitCode] of [
        ['no-such-session', 6],
        ['abc', 2],
        ['a/b', 2],
      ] as const) {
        expect(await run(['rename', name, 'x'])).toMatchObject({ code: exitCode });
      }
    });
  });

  it('new, rename, archive, fork and rm work', async () => {
    const uri = (await ok(['new', '--agent', 'mock', '--title', 'Fresh', '--model', 'mock-large'])).trim();
    const made = await client.openSession(uri);
    expect(made.confirmed.value).toMatchObject({
      lifecycle: 'ready',
      summary: { title: 'Fresh', model: 'mock-large' },
    });
    await ok(['archive', uri]);
    await until(made.confirmed, ({ summary }) => summary.isArchived, 'archived');
    await ok(['archive', '--undo', uri]);
    await until(made.confirmed, ({ summary }) => !summary.isArchived, 'back');
    await made.send('hello');
    await until(made.confirmed, ({ turns }) => turns.length === 1, 'a turn');
    const fork = (await ok(['fork', uri, '--title', 'Forked'])).trim();
    expect((await client.openSession(fork)).confirmed.value).toMatchObject({
      turns: [{ userMessage: { text: 'hello' } }],
      summary: { title: 'Forked' },
    });
    expect(await run(['rm', fork])).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
    await ok(['rm', '--yes', fork, uri]);
    await expect(client.openSession(fork)).rejects.toThrow();
    expect(await run(['new', '--agent', 'nobody'])).toMatchObject({ code: 6 });
    expect(await run(['new', '--agent', 'mock', '--cwd', '/does/not/exist'])).toMatchObject({ code: 1 });
  });

  it('prune deletes archived sessions that are old enough, and no others', async () => {
    const [old, kept] = [await client.createSession({ provider: 'mock' }), session];
    await old.ready();
    await old.archive(true);
    expect(await ok(['prune', '--older-than', '90d', '--dry-run'])).toBe('');
    const listed = await ok(['prune', '--older-than', '0h', '--dry-run']);
    expect(listed).toContain(old.uri.slice('mock:/'.length));
    expect(listed).not.toContain(id);
    expect(await run(['prune', '--older-than', '0h'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    });
    expect(await run(['prune', '--yes'])).toMatchObject({ code: 2, stderr: expect.stringContaining('--older-than') });
    expect(await run(['prune', '--older-than', 'soon', '--yes'])).toMatchObject({ code: 2 });
    expect(await run(['prune', '--older-than', '90d', '--yes'])).toMatchObject({
      code: 0,
      stderr: 'No archived session is that old.\n',
    });
    expect(await run(['prune', '--older-than', '0h', '--yes'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Deleted (\d+) of \1 archived sessions?\.\n$/),
    });
    await expect(client.openSession(old.uri)).rejects.toThrow();
    expect((await client.listSessions({})).items.map(({ resource }) => resource)).toContain(kept.uri);
  });

  it('log prints a conversation, all of it, or as JSON', async () => {
    for (const [at, message] of ['hello', 'use-tool', 'error'].entries()) {
      await session.send(message);
      await ended(at + 1);
    }
    const text = await ok(['log', id]);
    expect(text).toMatch(/^── \d{4}-\d\d-\d\d \d\d:\d\d by Mira ──\n› hello\n\nHello, world!\n\n──/);
    expect(text).toContain('✓ Listed 2 files\n');
    expect(text).toContain('× The mock agent was told to fail.\n');
    expect(await ok(['log', id, '-n', '1'])).not.toContain('hello');
    const turns = (await ok(['log', id, '--all', '--json']))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Turn);
    expect(turns).toEqual(session.confirmed.value.turns);
  });

  it('log --full has the whole output of tools', async () => {
    await session.send('big-output 100000');
    await ended(1);
    expect((await ok(['log', id, '--full'])).replace(/[^0-9a-f\n]/g, '').length).toBeGreaterThan(100_000);
  });

  it('import restores an export as the same conversation in another session', async () => {
    for (let n = 1; n <= 120; n++) await session.queue(n % 10 === 0 ? 'use-tool' : `message ${n}`);
    await until(
      session.confirmed,
      ({ queuedMessages = [], activeTurn }) => queuedMessages.length === 0 && !activeTurn,
      'the end',
      25_000,
    );
    await session.rename('Exported');
    const file = join(host.stateDir, 'export.json');
    await ok(['export', id, '--format', 'json', '-o', file]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const exported = JSON.parse(await readFile(file, 'utf8')) as { turns: Turn[]; session: SessionSummary };
    const history = [];
    for await (const turn of session.history({ includeLoaded: true })) history.unshift(turn);
    expect(exported.turns).toEqual(history);
    const uri = (await ok(['import', file, '--cwd', host.stateDir])).trim();
    const imported = await client.openSession(uri);
    expect(imported.confirmed.value.summary).toMatchObject({
      title: 'Exported',
      metadata: { importedFrom: session.uri },
    });
    const again = [];
    for await (const turn of imported.history({ includeLoaded: true })) again.unshift(turn);
    expect(again).toEqual(history.map(({ by: _, ...turn }) => turn));
    expect(await ok(['export', uri])).toMatch(
      /^# Exported\n\nmock, .*\n\n## .*\n\n> message 1\n\nYou said: message 1\n/,
    );
    await ok(['import', '-', '--title', 'Piped'], await readFile(file, 'utf8'));
  });

  it('an export contains the images of the conversation, also after an import', async () => {
    const picture = Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAA=', 'base64');
    const large = Buffer.concat([picture, Buffer.alloc(40_000)]).toString('base64');
    for (const prompt of ['image', 'image tool', 'audio']) {
      const count = session.confirmed.value.turns.length + 1;
      await session.send(prompt);
      await ended(count);
    }
    await session.send({
      text: 'look',
      attachments: [{ kind: 'image', label: 'mine', data: large, mimeType: 'image/gif' }],
    });
    await ended(4);
    const file = join(host.stateDir, 'images.json');
    await ok(['export', id, '--format', 'json', '-o', file]);
    const uri = (await ok(['import', file])).trim();
    const before = refsOf(session.confirmed.value.turns);
    await client.disposeSession(session.uri);
    const imported = await client.openSession(uri);
    const refs = refsOf(imported.confirmed.value.turns);
    expect(refs.map(({ mimeType, sizeHint }) => [mimeType, sizeHint])).toEqual(
      before.map(({ mimeType, sizeHint }) => [mimeType, sizeHint]),
    );
    expect(refs.map(({ mimeType }) => mimeType)).toEqual(['image/png', 'image/png', 'audio/wav', 'image/gif']);
    for (const ref of refs) {
      expect(ref.uri.startsWith(`mock://${uri.slice('mock:/'.length)}/`)).toBe(true);
      const { bytes } = await client.fetchContent(ref.uri);
      expect(bytes.length).toBe(ref.sizeHint);
    }
    expect(Buffer.from((await client.fetchContent(refs[3]?.uri ?? '')).bytes).toString('base64')).toBe(large);
    expect(await ok(['export', uri])).toMatch(/\n\n\*image, \d+ (bytes|KB), image\/png: mock:\/\/\S+\.png\*\n/);
  });

  it.each([
    ['is no export', '{"turns":[]}', 'no session'],
    ['is newer', '{"format":"agenthost-session","version":2,"session":{"provider":"mock"},"turns":[\n]}', 'version 2'],
    [
      'ends too early',
      '{"format":"agenthost-session","version":1,"session":{"provider":"mock"},"turns":[\n',
      'ends in the middle',
    ],
    ['is broken', '{"format":"agenthost-session","version":1,"session":{"provider":"mock"},"turns":[\n{\n]}', 'line 2'],
    [
      'has no turns in it',
      '{"format":"agenthost-session","version":1,"session":{"provider":"mock"},"turns":[\n{"id":1}\n]}',
      'turns',
    ],
  ])('import refuses a file that %s, and leaves nothing behind', async (_what, content, reason) => {
    const file = join(host.stateDir, 'wrong.json');
    await writeFile(file, content);
    const { total } = await client.listSessions();
    const { code, stderr } = await run(['import', file]);
    expect({ code, lines: stderr.split('\n').length }).toEqual({ code: 1, lines: 3 });
    expect(stderr).toContain(reason);
    expect((await client.listSessions()).total).toBe(total);
  });

  it('token shows and rotates the token; the old one is refused at once', async () => {
    const other = await startTestHost();
    try {
      const env = { AGENTHOST_HOME: other.stateDir };
      const shown = `${other.url.href}#token=${other.token}`;
      expect(await runCli(['token', 'show'], env)).toMatchObject({ code: 0, stdout: `${shown}\n` });
      expect(await runCli(['ls', '--token', shown])).toMatchObject({ code: 0 });
      expect(await runCli(['ls'], { AGENTHOST_TOKEN: shown, AGENTHOST_URL: other.url.href })).toMatchObject({
        code: 0,
      });
      expect(await runCli(['ls', '--token', other.url.href], env)).toMatchObject({ code: 2 });
      const { stdout: drawn } = await runCli(['token', 'show', '--qr'], env);
      expect(drawn.endsWith(`\n${shown}\n`)).toBe(true);
      expect(drawn.split('\n').filter((line) => /[▀▄█]{2}/.test(line)).length).toBeGreaterThan(12);
      const connected = await other.connect();
      const { stdout } = await runCli(['token', 'rotate', '--json'], env);
      const { token, link } = JSON.parse(stdout) as { token: string; link: string };
      expect(link).toBe(`${other.url.href}#token=${token}`);
      await until(connected.connection, ({ state }) => state === 'closed', 'the end of the old one');
      expect(await runCli(['ls', '--url', link])).toMatchObject({ code: 0 });
      await other.host.deviceTokens.add('a browser', 'owner');
      const again = await runCli(['token', 'rotate'], env);
      expect(again.stderr).toContain(
        "One device keeps its own token: see agenthost token ls, and revoke those that you don't",
      );
      expect(await runCli(['ls', '--token', other.token], env)).toMatchObject({ code: 5 });
    } finally {
      await other.dispose();
    }
  });

  it('token gives devices their own tokens with a role; a revoked one is disconnected at once', async () => {
    const other = await startTestHost({}, { publicUrl: new URL('https://agents.example.org') });
    try {
      const env = { AGENTHOST_HOME: other.stateDir };
      const added = await runCli(['token', 'add', '--name', "Ann's phone", '--role', 'viewer', '--json'], env);
      const { token, link } = JSON.parse(added.stdout) as { token: string; link: string };
      expect(link).toBe(`https://agents.example.org/#token=${token}`);
      expect(await runCli(['ls', '--token', token], env)).toMatchObject({ code: 0 });
      const refused = await runCli(['new', '--agent', 'mock', '--token', token], env);
      expect(refused).toMatchObject({ code: 5 });
      expect(refused.stderr).toContain('This device may only watch (role viewer).');
      const connected = await other.connect({ token });
      const listed = async () =>
        (await runCli(['token', 'ls', '--json'], env)).stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as object);
      await expect.poll(listed, { timeout: 20_000 }).toMatchObject([
        { name: "the host's own", role: 'owner' },
        { name: "Ann's phone", role: 'viewer', lastUsedAt: expect.any(Number) },
      ]);
      expect((await runCli(['token', 'ls'], env)).stdout).toMatch(/^Ann's phone {5}viewer {4}used \d+s ago$/m);
      expect(await runCli(['token', 'add', '--name', "ann's PHONE", '--role', 'owner'], env)).toMatchObject({
        code: 1,
      });
      expect(await runCli(['token', 'rm', 'nobody'], env)).toMatchObject({ code: 6 });
      expect(await runCli(['token', 'rm', "Ann's phone"], env)).toMatchObject({ code: 0 });
      await until(connected.connection, ({ state }) => state === 'closed', 'the end of the device');
      expect(await runCli(['ls', '--token', token], env)).toMatchObject({ code: 5 });
      expect((await listed()).length).toBe(1);
    } finally {
      await other.dispose();
    }
  });
});
