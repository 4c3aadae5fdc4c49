import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionHandle } from '@agenthost/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RepositoryWorld } from '../../support/repositoryWorld.js';
import { until } from '../../support/until.js';

let world: RepositoryWorld;
beforeEach(async () => {
  world = await RepositoryWorld.make();
});
afterEach(() => world.dispose());

const project = (setup: unknown) => ({ '.agenthost/project.json': JSON.stringify({ setup }) });
const rests = (session: SessionHandle, turns: number) =>
  until(session.confirmed, (state) => !state.activeTurn && state.turns.length === turns, `${turns} turns`);
const asked = async (session: SessionHandle) => {
  const [question] = await until(session.pendingPermissions, ({ length }) => length === 1, 'the question');
  if (!question) throw new Error('nobody was asked');
  return question;
};
const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe('[SETUP1] the set-up command of a project', () => {
  it('asks for trust, runs once in the worktree as a turn of the host, and messages wait for it', async () => {
    await world.commit(world.repository, project('echo "in $PWD" > made.txt; echo said'));
    const session = await world.session();
    const question = await asked(session);
    expect(question.request.message).toContain('set-up command');
    const folder = world.folderOf(session);
    expect(await isThere(join(folder, 'made.txt'))).toBe(false);
    await session.queue('hello');
    await question.answer({ approved: true, optionId: 'trust' });
    const { turns } = await rests(session, 2);
    expect(turns[0]).toMatchObject({ origin: 'agent', state: 'complete' });
    expect(turns[0]?.toolCalls[0]).toMatchObject({
      toolName: 'setup',
      status: 'completed',
      output: { text: 'said\n' },
      result: { success: true, exitCode: 0 },
    });
    expect(turns[1]?.userMessage.text).toBe('hello');
    expect(await readFile(join(folder, 'made.txt'), 'utf8')).toBe(`in ${folder}\n`);
    expect(world.git(world.repository, 'status', '--porcelain')).toBe('');
    // Trust counts for the next worktree too.
    await rests(await world.session(), 1);
  });

  it('is not run without trust, in the folder itself, or when it is not one', async () => {
    await world.commit(world.repository, project('touch ../never made.txt'));
    const session = await world.session();
    await (await asked(session)).answer({ approved: false });
    const { turns } = await rests(session, 1);
    expect(JSON.stringify(turns[0]?.responseParts)).toContain('was not run');
    expect(await isThere(join(world.folderOf(session), 'made.txt'))).toBe(false);
    expect((await world.session('folder')).confirmed.value).toMatchObject({ turns: [] });
    await world.commit(world.repository, project({ not: 'a command' }));
    expect((await world.session()).confirmed.value).toMatchObject({ turns: [] });
  });

  it('says how it failed, and ends when it is stopped', async () => {
    await world.commit(world.repository, project('echo wrong >&2; exit 3'));
    const session = await world.session();
    await (await asked(session)).answer({ approved: true, optionId: 'trust' });
    const { turns } = await rests(session, 1);
    expect(JSON.stringify(turns[0]?.responseParts)).toContain('it ended with 3');
    await world.commit(world.repository, project('echo $$ > pid; exec sleep 1000'));
    const running = await world.session();
    await until(
      running.confirmed,
      ({ activeTurn }) => Object.keys(activeTurn?.toolCalls ?? {}).length === 1,
      'the call',
    );
    await running.cancel();
    expect((await rests(running, 1)).turns[0]?.state).toBe('cancelled');
  });
});
