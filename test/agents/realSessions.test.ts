import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { processesIn } from '../../packages/host/test/agents/support/processes.js';
import { text, toolCalls } from '../support/modelServer/modelReply.js';
import type { ModelRequest } from '../support/modelServer/modelRequest.js';
import { ModelServer } from '../support/modelServer/modelServer.js';
import { startRestartableHost } from '../support/restartableHost.js';
import { textOf } from '../support/say.js';
import { until } from '../support/until.js';
import { ACP_CASES, type AcpCase, nextMinute, specOf } from './support/acpCases.js';
import { confirmation, PATIENCE_MS, turnEnded } from './support/copilotHost.js';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

const SECRETS = { AGENTHOST_TOKEN: 'the-token-of-the-host-is-long', GITHUB_TOKEN: 'of-the-user', DB_PASSWORD: 'x1y2' };

/** A host in a process of its own, with the real agent as `agenthost agents add` leaves it, and a scripted model. */
async function startAgentHost(agentCase: AcpCase) {
  await installAgent(agentCase.provider);
  const model = await ModelServer.start();
  const host = await startRestartableHost([], SECRETS);
  onTestFinished(async () => {
    await host.dispose();
    await model.dispose();
  });
  const { provider } = agentCase;
  const home = await realpath(host.stateDir);
  await mkdir(join(home, 'agents'), { recursive: true });
  await symlink(join(AGENTS_FOLDER, provider), join(home, 'agents', provider));
  const env = { ...(await agentCase.prepare(home, model.url)), NO_PROXY: '*' };
  const { args } = specOf(agentCase);
  await writeFile(join(home, 'agents.json'), JSON.stringify({ agents: { [provider]: { env, args } } }));
  const cwd = join(home, 'project');
  await mkdir(cwd);
  const alice = await host.connect({ clientInfo: { name: 'Alice' } });
  const bob = await host.connect({ clientInfo: { name: 'Bob' } });
  await until(
    alice.root.state,
    ({ agents }) => agents.some((agent) => agent.provider === provider && agent.availability.state === 'available'),
    'the agent',
    PATIENCE_MS,
  );
  const open = async () => {
    const session = await alice.createSession({ provider, workingDirectory: pathToFileURL(cwd).href });
    await session.ready();
    return session;
  };
  return { host, model, cwd, alice, bob, open };
}

/** Whatever is asked until the turn has ended is approved. */
async function approved(session: SessionHandle, turns: number): Promise<void> {
  const watching = session.pendingConfirmations.subscribe((open) => {
    for (const one of open) one.approve().catch(() => {});
  });
  try {
    await turnEnded(session, turns);
  } finally {
    watching.dispose();
  }
}

/** Not the one for a title; agents put text of their own around a message. */
const asks = (words: string) => (request: ModelRequest) =>
  request.tools.length > 0 && JSON.stringify(request.body).includes(words);

const noticesOf = (turn: Turn | undefined) =>
  (turn?.responseParts ?? []).flatMap((part) => (part.kind === 'notice' ? [part.text] : []));

const noneLeft = (cwd: string) => vi.waitFor(async () => expect(await processesIn(cwd)).toEqual([]), PATIENCE_MS);

describe.each(ACP_CASES)('$provider on a real host', (agentCase) => {
  const { shell, write } = agentCase;

  it('is shared, changes files, keeps no secret, and continues after the host was killed', {
    timeout: 300_000,
  }, async () => {
    const { host, model, cwd, bob, open } = await startAgentHost(agentCase);
    const seen = join(cwd, 'seen.txt');
    const file = join(cwd, 'new.txt');
    model
      .script('the number is 4711', toolCalls(shell('env > seen.txt && echo from the tool')), text('Noted.'))
      .script('write a file', toolCalls(write(file, 'one\ntwo\n')), text('Written.'))
      .script('which number', ({ items }) => text(`Known: ${items.map((item) => item.text).join(' ')}`));
    const hers = await open();
    const his = await bob.openSession(hers.uri);
    await hers.send('the number is 4711');
    const [asked, askedHim] = await Promise.all([confirmation(hers), confirmation(his)]);
    expect(asked.toolCall).toEqual(askedHim.toolCall);
    expect(asked.toolCall).toMatchObject({ toolKind: 'terminal', toolInput: expect.stringContaining('from the tool') });
    const answers = await Promise.allSettled([askedHim.approve(), asked.deny()]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = answers[0]?.status === 'fulfilled' ? 'Bob' : 'Alice';
    expect([winner, answers.find(({ status }) => status === 'rejected')]).toMatchObject([
      'Bob',
      { reason: { message: expect.stringContaining('Bob') } },
    ]);
    const [mine, theirs] = await Promise.all([turnEnded(hers), turnEnded(his)]);
    expect(theirs.turns).toEqual(mine.turns);
    // All of these agents announce some; to be displayed as they come.
    const { commands = [] } = await until(
      his.confirmed,
      (state) => state.commands !== undefined,
      'commands',
      PATIENCE_MS,
    );
    expect(commands.filter(({ name }) => name === '' || name.startsWith('/'))).toEqual([]);
    expect(mine.turns[0]).toMatchObject({
      state: 'complete',
      toolCalls: [{ status: 'completed', confirmed: { how: 'user', by: { name: 'Bob' } } }],
    });

    const environment = await readFile(seen, 'utf8');
    const processes = await processesIn(cwd);
    expect(processes.length).toBeGreaterThan(0);
    const environments = await Promise.all(
      processes.map((pid) => readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')),
    );
    expect(environment).toContain(`HOME=${host.stateDir}`);
    for (const secret of [...Object.values(SECRETS), host.token]) {
      expect([environment, ...environments].filter((all) => all.includes(secret))).toEqual([]);
    }

    await hers.send('write a file');
    await approved(hers, 2);
    const change = { uri: pathToFileURL(file).href, insertions: 2, deletions: 0 };
    await until(his.confirmed, ({ summary }) => summary.changes?.length === 1, 'the change', PATIENCE_MS);
    expect(his.confirmed.value.summary.changes).toEqual([change]);
    expect(await readFile(file, 'utf8')).toBe('one\ntwo\n');

    await host.end('SIGKILL');
    await noneLeft(cwd);
    if (agentCase.forgetsTheMinute) await nextMinute();
    await host.start();
    await hers.send('which number');
    const last = (await turnEnded(hers, 3)).turns[2];
    expect(last).toMatchObject({ state: 'complete' });
    const { items } = await model.request(asks('which number'));
    const known = items.map((item) => item.text).join('\n');
    expect(known).toContain('the number is 4711');
    expect(textOf(last)).toContain('the number is 4711');
    expect(noticesOf(last).filter((notice) => notice.includes('starts a new conversation'))).toEqual([]);
    expect(hers.confirmed.value.summary.changes).toEqual([change]);
    await host.end('SIGTERM');
    expect(await processesIn(cwd)).toEqual([]);
  });

  it('gets servers and instructions of a trusted folder', { timeout: 300_000 }, async () => {
    const { model, cwd, open } = await startAgentHost(agentCase);
    model.script('hello there', text('Hello.'));
    const made = join(cwd, 'made');
    await writeFile(join(cwd, '.mcp.json'), JSON.stringify({ mcpServers: { x: { command: 'touch', args: [made] } } }));
    const instructions = 'INSTRUCTION-OF-THE-FOLDER';
    const unread = ['GEMINI.md', 'CLAUDE.md', '.github/instructions/own.instructions.md'].find(
      (path) => !(specOf(agentCase).reads ?? []).some((own) => path === own || path.startsWith(own)),
    );
    if (unread !== undefined) {
      await mkdir(join(cwd, unread, '..'), { recursive: true });
      await writeFile(join(cwd, unread), instructions);
    }
    const session = await open();
    const answer = async (approves: boolean) => {
      const [asked] = await until(session.pendingPermissions, (list) => list.length > 0, 'the question', PATIENCE_MS);
      expect(asked?.request.message).toContain('The MCP server `x` runs `touch');
      expect([existsSync(made), await processesIn(cwd)]).toEqual([false, []]);
      await asked?.answer({ approved: approves });
    };
    await session.send('hello there');
    await answer(false);
    expect((await turnEnded(session)).turns[0]).toMatchObject({
      state: 'error',
      error: { message: expect.stringContaining('not started') },
    });
    expect([existsSync(made), await processesIn(cwd), model.requests]).toEqual([false, [], []]);
    await session.send('hello there');
    await answer(true);
    expect((await turnEnded(session, 2)).turns[1]).toMatchObject({ state: 'complete' });
    if (specOf(agentCase).refusesPrograms) {
      const leftOut = 'This agent does not take MCP servers that are programs: x was left out.';
      expect(noticesOf(session.confirmed.value.turns[1])).toContain(leftOut);
    } else await vi.waitFor(() => expect(existsSync(made)).toBe(true), PATIENCE_MS);
    if (unread === undefined) return;
    const told = await model.request(asks('hello there'));
    expect(JSON.stringify(told.body)).toContain(instructions);
  });
});
