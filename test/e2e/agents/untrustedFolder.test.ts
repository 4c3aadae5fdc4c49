import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import type { ListSessionsResult } from '@agenthost/protocol';
import { untrustedFolder } from '@agenthost/protocol/internal';
import { describe, expect, it } from 'vitest';
import { say } from '../../support/say.js';
import { until } from '../../support/until.js';
import { writeUnder } from '../../support/writeUnder.js';
import { mcp, useCustomizationWorld } from './customizationWorld.js';

const world = useCustomizationWorld();
const SERVER = mcp({ tools: { command: 'true' } });

async function answerTrust(session: SessionHandle, approved: boolean): Promise<void> {
  const [prompt] = await until(session.pendingPermissions, (open) => open.length > 0, 'the question');
  const turns = session.confirmed.value.turns.length;
  await prompt?.answer({ approved });
  await until(session.confirmed, (state) => state.turns.length > turns, 'the end of the turn');
}

const folderOf = (session: SessionHandle) => untrustedFolder(session.confirmed.value.summary);

describe('the trust information of a session', () => {
  it('[TRUST1] names the folder that the host will ask about, and is absent otherwise', async () => {
    await world.start();
    const plain = await world.create();
    expect(folderOf(plain)).toBeUndefined();
    await writeUnder(world.project, '.mcp.json', SERVER);
    expect(folderOf(await world.create())).toBe(world.project);
    // The shell agent uses nothing of the folder's configuration.
    expect(folderOf(await world.create('shell'))).toBeUndefined();
  });

  it('[TRUST1] can not be set by the creator of the session', async () => {
    await world.start();
    const metadata = { untrustedFolder: '/etc', other: 1 };
    const session = await world.client.createSession({ provider: 'shell', metadata });
    await session.ready();
    expect(session.confirmed.value.summary.metadata).toEqual({ other: 1, workingDirectoryPath: world.project });
  });

  it('[TRUST1] follows a refusal, and a customization that is turned on again', async () => {
    const file = await writeUnder(world.project, '.mcp.json', SERVER);
    await world.start();
    const session = await world.create();
    await session.send('hello');
    await answerTrust(session, false);
    expect(folderOf(session)).toBeUndefined();
    await session.toggleCustomization(`${file}#tools`, false);
    await session.toggleCustomization(`${file}#tools`, true);
    await until(session.confirmed, ({ summary }) => untrustedFolder(summary) === world.project, 'the folder again');
  });

  it('[TRUST2] changes in every session of a folder when it is trusted, loaded or not', async () => {
    await writeUnder(world.project, '.mcp.json', SERVER);
    await world.start();
    const unloaded = (await world.create()).uri;
    // Nothing loads it again after a restart.
    await world.host.host.close();
    await world.start();
    const [first, second] = [await world.create(), await world.create()];
    const bob = await world.host.raw('bob');
    const list = async () => (await bob.request<ListSessionsResult>('listSessions', {})).items;
    expect((await list()).map(untrustedFolder)).toEqual([world.project, world.project, world.project]);

    await first.send('hello');
    await answerTrust(first, true);
    expect(folderOf(second)).toBeUndefined();
    const told = await bob.next(({ params }) => {
      const one = params?.notification;
      return one?.type === 'notify/sessionSummaryChanged' && one.session === unloaded;
    }, 'the unloaded session');
    expect(told.params?.notification).toMatchObject({
      changes: { metadata: { workingDirectoryPath: world.project } },
    });
    expect((await list()).map(untrustedFolder)).toEqual([undefined, undefined, undefined]);
    await say(second, 'hello');
  });

  it('[TRUST3] is available before there is a session, for a given agent', async () => {
    await writeUnder(world.project, '.mcp.json', SERVER);
    await world.start();
    const uri = pathToFileURL(world.project).href;
    const asked = async (provider?: string) =>
      (await world.client.browseDirectory(uri, provider === undefined ? {} : { provider })).untrustedFolder;
    expect([await asked('mock'), await asked('shell'), await asked('nobody'), await asked()]).toEqual([
      world.project,
      undefined,
      undefined,
      undefined,
    ]);
    const session = await world.create();
    await session.send('hello');
    await answerTrust(session, true);
    expect(await asked('mock')).toBeUndefined();
  });
});
