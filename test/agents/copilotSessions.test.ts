import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MemorySessionFs } from '../../packages/host/src/storage/fs/memorySessionFs.js';
import { processesIn } from '../../packages/host/test/agents/support/processes.js';
import { slow, text, toolCall } from '../support/modelServer/modelReply.js';
import { textOf } from '../support/say.js';
import { memoryHandler } from '../support/storage/memoryProvider.js';
import { until } from '../support/until.js';
import { recordCapability } from './support/capabilities.js';
import { confirmation, PATIENCE_MS, startCopilotHost, turnEnded } from './support/copilotHost.js';
import { installAgent } from './support/installAgents.js';

beforeAll(() => installAgent('copilot'));

const run = (command: string) => toolCall('bash', { command, description: 'a test' });

describe('two clients and a Copilot', () => {
  it('either of them answers, once, and both see the same', async () => {
    const host = await startCopilotHost();
    host.model.script('go', run('echo from the tool'), ({ toolResults }) => text(`Seen: ${toolResults[0]}`));
    const alice = await host.connect({ clientInfo: { name: 'Alice' } });
    const bob = await host.connect({ clientInfo: { name: 'Bob' } });
    const hers = await alice.createSession({ provider: 'copilot' });
    await hers.ready();
    const his = await bob.openSession(hers.uri);
    await hers.send('go');
    const [asked, askedHim] = await Promise.all([confirmation(hers), confirmation(his)]);
    expect(asked.toolCall).toMatchObject({
      displayName: 'Bash',
      toolKind: 'terminal',
      language: 'shellscript',
      toolInput: 'echo from the tool',
      confirmation: { title: 'Run this command?', options: [{ id: 'once' }, { id: 'session' }, { id: 'deny' }] },
    });
    const answers = await Promise.allSettled([askedHim.approve(), asked.deny({ reason: 'too late' })]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const [mine, theirs] = await Promise.all([turnEnded(hers), turnEnded(his)]);
    expect(theirs.turns).toEqual(mine.turns);
    const [turn] = mine.turns;
    expect(turn).toMatchObject({
      state: 'complete',
      toolCalls: [
        {
          status: 'completed',
          confirmed: { how: 'user', by: { name: 'Bob' } },
          output: { text: expect.stringContaining('from the tool') },
          result: { success: true, exitCode: 0, pastTenseMessage: 'Ran `echo from the tool` (exit 0)' },
        },
      ],
      usage: { inputTokens: 20, outputTokens: 10, model: 'model-1' },
    });
    expect(textOf(turn)).toContain('Seen: from the tool');
  });

  it('a denial with a reason goes to the model, one without ends the turn; a cancelled turn runs nothing', async () => {
    const host = await startCopilotHost();
    const file = join(host.cwd, 'made');
    host.model.script('go', run(`touch ${file}`), ({ toolResults }) => text(`Told: ${toolResults[0]}`));
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    await session.send('go');
    await (await confirmation(session)).deny({ reason: 'use another name' });
    const [first] = (await turnEnded(session)).turns;
    expect(first).toMatchObject({ state: 'complete', toolCalls: [{ status: 'cancelled', cancelled: 'denied' }] });
    expect(textOf(first)).toContain('use another name');
    recordCapability('copilot', 'reason', 'yes');
    await session.send('go');
    await (await confirmation(session)).deny();
    const second = (await turnEnded(session, 2)).turns[1];
    expect([second?.state, textOf(second)]).toEqual(['complete', '']);
    await session.send('go');
    await confirmation(session);
    await session.cancel();
    expect((await turnEnded(session, 3)).turns[2]?.state).toBe('cancelled');
    await session.send('say something');
    expect((await turnEnded(session, 4)).turns[3]).toMatchObject({ state: 'complete' });
    expect(existsSync(file)).toBe(false);
    recordCapability('copilot', 'asks', 'yes');
  });
});

describe('work of Copilot', () => {
  it('reports the files it changed, and reads in its folder without asking', async () => {
    const host = await startCopilotHost();
    const file = join(host.cwd, 'new.txt');
    const outside = join(host.home, 'secret.txt');
    await writeFile(outside, 'hidden');
    host.model
      .script('write', toolCall('create', { path: file, file_text: 'one\ntwo\n' }))
      .script('read', toolCall('view', { path: file }))
      .script('peek', toolCall('view', { path: outside }));
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    await session.send('write');
    const asked = await confirmation(session);
    expect(asked.toolCall).toMatchObject({ displayName: 'Write File', confirmation: { title: 'Change this file?' } });
    await asked.approve();
    const { summary, turns } = await turnEnded(session);
    const change = { uri: pathToFileURL(file).href, insertions: 2, deletions: 0 };
    expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');
    expect(summary.changes).toEqual([change]);
    expect(turns[0]?.toolCalls[0]).toMatchObject({
      result: { content: [{ type: 'fileEdit', ...change, diff: expect.stringContaining('+one') }] },
    });
    await session.send('read');
    expect((await turnEnded(session, 2)).turns[1]?.toolCalls[0]).toMatchObject({
      displayName: 'View File',
      confirmed: { how: 'notNeeded' },
      result: { success: true, toolOutput: expect.stringContaining('two') },
    });
    await session.send('peek');
    await (await confirmation(session)).deny();
    await turnEnded(session, 3);
  });

  it('remembers what was allowed for the session, and only that', async () => {
    const host = await startCopilotHost();
    host.model.script('again', run('echo same')).script('other', run('echo other'));
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    await session.send('again');
    await (await confirmation(session)).approve({ optionId: 'session' });
    await turnEnded(session);
    await session.send('again');
    expect((await turnEnded(session, 2)).turns[1]?.toolCalls[0]).toMatchObject({
      status: 'completed',
      confirmed: { how: 'notNeeded' },
    });
    await session.send('other');
    await (await confirmation(session)).approve();
    await turnEnded(session, 3);
  });

  it('accepts messages while it works, and another model for the next turn', async () => {
    const host = await startCopilotHost();
    host.model.script('wait', run('sleep 2')).script('hurry', text('I hurry.')).script('who', text('Me.'));
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    await session.send('wait');
    await (await confirmation(session)).approve();
    await session.steer('hurry');
    const [turn] = (await turnEnded(session)).turns;
    expect(turn?.responseParts.some((part) => part.kind === 'steering')).toBe(true);
    expect(textOf(turn)).toContain('I hurry.');
    await session.setModel('model-2');
    await session.send('who');
    await turnEnded(session, 2);
    const asked = await host.model.request(({ prompt }) => prompt.includes('who'));
    expect(asked.model).toBe('model-2');
  });

  it('reports the usage of each turn, not of all turns', async () => {
    const host = await startCopilotHost();
    const session = await (await host.connect()).createSession({ provider: 'copilot' });
    await session.ready();
    for (const turn of [1, 2, 3]) {
      await session.send('say hello');
      await turnEnded(session, turn);
    }
    // Every answer of the scripted model has the same number of tokens.
    expect(session.confirmed.value.turns.map(({ usage }) => usage?.inputTokens)).toEqual([10, 10, 10]);
    recordCapability('copilot', 'usage', 'yes');
  });

  it('asks with choices and free text', async () => {
    const host = await startCopilotHost();
    const ask = toolCall('ask_user', { question: 'Which one?', choices: ['this', 'that'] });
    host.model.script('choose', ask, ({ toolResults }) => text(`Heard: ${toolResults[0]}`));
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    for (const [turn, answer] of [{ optionId: 'choice-1' }, { text: 'none of them' }].entries()) {
      await session.send('choose');
      const waiting = await until(session.pendingPermissions, (list) => list.length > 0, 'a question', PATIENCE_MS);
      expect(waiting[0]?.request).toMatchObject({
        kind: 'question',
        message: 'Which one?',
        options: [{ label: 'this' }, { label: 'that' }],
        allowText: true,
      });
      await waiting[0]?.answer({ approved: true, ...answer });
      await turnEnded(session, turn + 1);
    }
    const [first, second] = session.confirmed.value.turns.map(textOf);
    expect([first, second]).toEqual([expect.stringContaining('that'), expect.stringContaining('none of them')]);
  });

  it('reports a sub-agent, and asks for it', async () => {
    const host = await startCopilotHost();
    const task = { description: 'look around', prompt: 'sub job', agent_type: 'task', name: 'looker' };
    host.model.script('delegate', toolCall('task', task)).script('sub job', run('echo from below'));
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    const activities: (string | undefined)[] = [];
    session.confirmed.subscribe(({ summary }) => activities.push(summary.activity));
    await session.send('delegate');
    await (await confirmation(session)).approve();
    const [turn] = (await turnEnded(session)).turns;
    expect(activities).toContain('Sub-agent looker: look around');
    expect(turn?.toolCalls.map(({ displayName, status }) => [displayName, status])).toEqual(
      expect.arrayContaining([
        ['Sub-agent', 'completed'],
        ['Bash', 'completed'],
      ]),
    );
  });
});

describe('the end of a Copilot', () => {
  it('a killed process ends its turn with one error, and the next message continues', async () => {
    const host = await startCopilotHost();
    host.model
      .script('the number is 4711', text('Noted.'))
      .script('for ever', slow())
      .script('which number', ({ items }) => text(`Seen: ${items.map((item) => item.text).join(' ')}`));
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    await session.send('the number is 4711');
    await turnEnded(session);
    await session.send('for ever');
    await until(
      session.confirmed,
      ({ activeTurn }) => (activeTurn?.responseParts.length ?? 0) > 0,
      'words',
      PATIENCE_MS,
    );
    for (const pid of await processesIn(host.cwd)) process.kill(pid, 'SIGKILL');
    const dead = (await turnEnded(session, 2)).turns[1];
    expect(dead).toMatchObject({ state: 'error', error: { message: expect.stringContaining('has ended') } });
    await session.send('which number');
    const last = (await turnEnded(session, 3)).turns[2];
    expect(last?.state).toBe('complete');
    expect(textOf(last)).toContain('4711');
    recordCapability('copilot', 'crash', 'yes');
  });

  it('leaves no background process', async () => {
    const host = await startCopilotHost();
    host.model.script('serve', toolCall('bash', { command: 'setsid sleep 300 & echo up', description: 'x' }));
    const client = await host.connect();
    const session = await client.createSession({ provider: 'copilot' });
    await session.ready();
    await session.send('serve');
    await (await confirmation(session)).approve();
    await turnEnded(session);
    const pids = await processesIn(host.cwd);
    expect(pids.length).toBeGreaterThan(1);
    const groups = pids.map((pid) =>
      execFileSync('ps', ['-o', 'pgid=', '-p', String(pid)], { encoding: 'utf8' }).trim(),
    );
    const ownGroup = execFileSync('ps', ['-o', 'pgid=', '-p', String(process.pid)], { encoding: 'utf8' }).trim();
    // The launcher alone stays with the host.
    expect(groups.filter((group) => group === ownGroup).length).toBe(1);
    await client.disposeSession(session.uri);
    await vi.waitFor(async () => expect(await processesIn(host.cwd)).toEqual([]), PATIENCE_MS);
  });
});

it("keeps its state in a client's file system, and continues from there on another host", async () => {
  const first = await startCopilotHost();
  first.model
    .script('the number is 4711', text('Noted.'))
    .script('which number', ({ items }) => text(`Seen: ${items.map((item) => item.text).join(' ')}`));
  const config = { initialCwd: first.cwd, sessionStatePath: '/state', conventions: 'posix' } as const;
  const files = new MemorySessionFs({ sessionStatePath: '/state' });
  const createSessionFsHandler = () => memoryHandler(files);
  const client = await first.connect({ sessionFs: config });
  const session = await client.createSession({ provider: 'copilot', createSessionFsHandler });
  await session.ready();
  await session.send('the number is 4711');
  await turnEnded(session);
  client.close();
  await first.dispose();
  expect(await files.readdir('/state')).toContain('copilot');
  expect(await files.readFile('/state/copilot/events.jsonl')).toContain('4711');

  const second = await startCopilotHost(first.model);
  const again = await second.connect({ sessionFs: { ...config, initialCwd: second.cwd } });
  const resumed = await again.openSession(session.uri, { createSessionFsHandler });
  await resumed.send('which number');
  expect(textOf((await turnEnded(resumed, 2)).turns[1])).toContain('4711');
});
