import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SessionHandle } from '@agenthost/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { text } from '../support/modelServer/modelReply.js';
import { ModelServer } from '../support/modelServer/modelServer.js';
import { startRestartableHost } from '../support/restartableHost.js';
import { say, textOf } from '../support/say.js';
import { until } from '../support/until.js';
import { ACP_CASES, type AcpCase, specOf } from './support/acpCases.js';
import { recordCapability } from './support/capabilities.js';
import { scriptedCopilot } from './support/copilotConfiguration.js';
import { PATIENCE_MS } from './support/copilotHost.js';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

/** A host with these agents as users get them, and one scripted model behind all of them. */
async function startHostWith(cases: readonly AcpCase[], { withCopilot = false } = {}) {
  const model = await ModelServer.start();
  const host = await startRestartableHost([], {});
  onTestFinished(async () => {
    await host.dispose();
    await model.dispose();
  });
  const home = await realpath(host.stateDir);
  const cwd = join(home, 'project');
  await mkdir(join(home, 'agents'), { recursive: true });
  await mkdir(cwd);
  if (withCopilot) {
    await installAgent('copilot');
    await symlink(join(AGENTS_FOLDER, 'copilot'), join(home, 'agents', 'copilot'));
    await writeFile(join(home, 'agents', 'copilot.json'), JSON.stringify(scriptedCopilot(model)));
  }
  const agents: Record<string, object> = {};
  for (const agentCase of cases) {
    const { provider } = agentCase;
    await installAgent(provider);
    await symlink(join(AGENTS_FOLDER, provider), join(home, 'agents', provider));
    const env = { ...(await agentCase.prepare(home, model.url)), NO_PROXY: '*' };
    agents[provider] = { env, args: specOf(agentCase).args };
  }
  await writeFile(join(home, 'agents.json'), JSON.stringify({ agents }));
  const client = await host.connect();
  const isThere = (provider: string) =>
    client.root.state.value?.agents.some((one) => one.provider === provider && one.availability.state === 'available');
  const wanted = [...cases.map(({ provider }) => provider), ...(withCopilot ? ['copilot'] : [])];
  await until(client.root.state, () => wanted.every(isThere), 'the agents', PATIENCE_MS);
  const open = async (provider: string) => {
    const session = await client.createSession({ provider, workingDirectory: pathToFileURL(cwd).href });
    await session.ready();
    return session;
  };
  return { model, client, open };
}

const noticesOf = ({ confirmed }: SessionHandle) =>
  (confirmed.value.turns.at(-1)?.responseParts ?? []).flatMap((part) => (part.kind === 'notice' ? [part.text] : []));

const FACTS = Array.from(
  { length: 20 },
  (_, n) => `fact ${n + 1} is ${['heron', 'maple', 'basalt', 'comet'][n % 4]}-${n * 37}`,
);
const RING = ['claude', 'codex', 'opencode', 'gemini', 'copilot', 'copilot-acp', 'claude'] as const;

describe('what real agents remember', () => {
  it('a ring of six agents keeps twenty facts when the conversation is handed over', {
    timeout: 300_000,
  }, async () => {
    const cases = ACP_CASES.filter(({ provider }) => RING.some((one) => one === provider));
    const { model, client, open } = await startHostWith(cases, { withCopilot: true });
    // The record of a conversation has its own words: one reply for all. What was known is in the requests.
    model.script('fact', text('Noted.'));
    const known = [...FACTS];
    let session: SessionHandle | undefined;
    for (const [at, provider] of RING.entries()) {
      session = session ? await client.forkSession({ source: session.uri, provider }) : await open(provider);
      const before = model.requests.length;
      await say(
        session,
        at === 0 ? `note that ${FACTS.join(', ')}` : `which fact do you know, hop ${at}?`,
        PATIENCE_MS,
      );
      expect(session.confirmed.value.turns.at(-1)?.state, provider).toBe('complete');
      const asked = model.requests.slice(before).filter(({ tools }) => tools.length > 0);
      const given = asked.flatMap(({ items }) => items.map((item) => item.text)).join('\n');
      expect(
        known.filter((fact) => !given.includes(fact)),
        `what ${provider} was not given`,
      ).toEqual([]);
      // What each of them was asked is known to those after it.
      if (at === 0) continue;
      known.push(`hop ${at}`);
      expect(noticesOf(session).join(' '), provider).toMatch(/was given the .*turns?.* as text/);
      recordCapability(provider, 'handOver', 'yes');
    }
  });

  it.each([...ACP_CASES.map((one) => one.provider), 'copilot' as const])(
    'a fork of %s remembers',
    {
      timeout: 120_000,
    },
    async (provider) => {
      const cases = ACP_CASES.filter((one) => one.provider === provider);
      const { model, client, open } = await startHostWith(cases, { withCopilot: provider === 'copilot' });
      model.script('number', ({ items }) => text(`Known: ${items.map((item) => item.text).join(' ')}`));
      const session = await open(provider);
      await say(session, 'the number is 4711', PATIENCE_MS);
      const fork = await client.forkSession({ source: session.uri });
      await say(fork, 'which number', PATIENCE_MS);
      expect(textOf(fork.confirmed.value.turns.at(-1))).toContain('4711');
      const how = noticesOf(fork).some((notice) => notice.includes('as text')) ? 'as text' : 'its own copy';
      console.info(`a fork of ${provider}: ${how}`);
      // The source is as it was.
      await say(session, 'which number', PATIENCE_MS);
      expect(textOf(session.confirmed.value.turns.at(-1))).toContain('4711');
      recordCapability(provider, 'fork', 'yes', how === 'as text' ? 'by text' : 'by its own copy');
    },
  );
});
