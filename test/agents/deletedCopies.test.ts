import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { nativeStores } from '../../packages/host/src/agents/native/nativeStores.js';
import { text } from '../support/modelServer/modelReply.js';
import { ModelServer } from '../support/modelServer/modelServer.js';
import { ACP_CASES, nextMinute } from './support/acpCases.js';
import { recordCapability } from './support/capabilities.js';
import { PATIENCE_MS, startCopilotHost, turnEnded } from './support/copilotHost.js';
import { ended, nativeWorld } from './support/nativeWorld.js';

const SECRET = 'the number is 4711';

/** Files of a folder that have these words. */
async function filesWith(folder: string, words: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(
    files.map(async (file) => ((await readFile(file).catch(() => Buffer.alloc(0))).includes(words) ? [file] : [])),
  );
  return found.flat();
}

describe('a session that is deleted with the copy of its agent', () => {
  it.each(ACP_CASES)('$provider', { timeout: 300_000 }, async ({ provider, forgetsTheMinute }) => {
    const { home, cwd, client } = await nativeWorld(ACP_CASES.find((one) => one.provider === provider) ?? never());
    const session = await client.createSession({ provider, workingDirectory: pathToFileURL(cwd).href });
    await session.ready();
    expect((await ended(session, SECRET, 1))?.state).toBe('complete');
    const store = nativeStores({ HOME: home }).find((one) => one.provider === provider);
    const kept = async () => {
      const places = (await store?.scan())?.places ?? [];
      const heads = await Promise.all(places.map((place) => store?.turns(place)));
      return heads.flatMap((read) => read?.turns ?? []).map(({ userMessage }) => userMessage.text);
    };
    await expect.poll(kept, { timeout: PATIENCE_MS }).toEqual([SECRET]);
    if (forgetsTheMinute) await nextMinute();
    const deletion = client.disposeSession(session.uri, { agentCopy: 'delete' });
    if (provider === 'copilot-acp') {
      await expect(deletion).rejects.toMatchObject({
        data: { code: 'agentCopyKept' },
        message: expect.stringContaining('Copilot CLI has no way to delete a conversation'),
      });
      expect(await kept()).toEqual([SECRET]);
      // Nothing was lost: the session goes on.
      expect((await ended(session, 'which number', 2))?.state).toBe('complete');
      recordCapability(provider, 'delete', 'no');
      return;
    }
    await deletion;
    expect(await kept()).toEqual([]);
    // Beside the host's own index, and databases, which keep what was in their pages until they use them again.
    const databases = /index\.sqlite|\.codex\/\w+\.sqlite|opencode\.db/;
    const left = (await filesWith(home, SECRET)).filter((file) => !databases.test(file));
    expect(left).toEqual([]);
    recordCapability(provider, 'delete', 'yes');
  });

  it('copilot', { timeout: 120_000 }, async () => {
    const model = await ModelServer.start();
    model.script(SECRET, text('I will remember.'));
    const { client, home, cwd, state } = await startedCopilot(model);
    const session = await client.createSession({ provider: 'copilot', workingDirectory: pathToFileURL(cwd).href });
    await session.ready();
    await session.send(SECRET);
    await turnEnded(session);
    await client.disposeSession(session.uri, { agentCopy: 'delete' });
    // What the SDK keeps is in the folder of the session.
    expect(await filesWith(home, SECRET)).toEqual([]);
    expect(await filesWith(join(state, 'session-state'), SECRET)).toEqual([]);
    recordCapability('copilot', 'delete', 'yes');
  });
});

async function startedCopilot(model: ModelServer) {
  const host = await startCopilotHost(model);
  return { ...host, client: await host.connect() };
}

function never(): never {
  throw new Error('there is no such case');
}
