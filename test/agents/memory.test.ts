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
import { PATIENCE_MS } from './support/copilotHost.js';
import { AGENTS_FOLDER, installAgent } from './support/installAgents.js';

/** A host with these agents as users get them, and one scripted model behind all of them. */
async function startHostWith(cases: readonly AcpCase[]) {
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
  await until(client.root.state, () => cases.every(({ provider }) => isThere(provider)), 'the agents', PATIENCE_MS);
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
const FACTS_EACH = 4;

describe('what real agents remember', () => {
  it('a ring of five keeps twenty facts when the conversation is handed over', { timeout: 300_000 }, async () => {
    const { model, client, open } = await startHostWith(ACP_CASES);
    // The record of a conversation has its own words: one reply for all, which tells what the model was given.
    model.script('fact', ({ items }) =>
      text(`Known: ${FACTS.filter((fact) => items.some((item) => item.text.includes(fact))).join('; ')}`),
    );
    let session: SessionHandle | undefined;
    for (const [at, { provider }] of ACP_CASES.entries()) {
      session = session ? await client.forkSession({ source: session.uri, provider }) : await open(provider);
      const facts = FACTS.slice(at * FACTS_EACH, (at + 1) * FACTS_EACH);
      await say(session, `note that ${facts.join(', ')}`, PATIENCE_MS);
      expect(session.confirmed.value.turns.at(-1)?.state, provider).toBe('complete');
      if (at > 0) expect(noticesOf(session).join(' '), provider).toMatch(/was given the .*turns?.* as text/);
    }
    const first = ACP_CASES[0]?.provider ?? '';
    const last = await client.forkSession({ source: session?.uri ?? '', provider: first });
    await say(last, 'which fact do you know', PATIENCE_MS);
    const answer = textOf(last.confirmed.value.turns.at(-1));
    expect(FACTS.filter((fact) => !answer.includes(fact))).toEqual([]);
  });

  it.each(ACP_CASES)('a fork of $provider remembers', { timeout: 120_000 }, async (agentCase) => {
    const { model, client, open } = await startHostWith([agentCase]);
    model.script('number', ({ items }) => text(`Known: ${items.map((item) => item.text).join(' ')}`));
    const session = await open(agentCase.provider);
    await say(session, 'the number is 4711', PATIENCE_MS);
    const fork = await client.forkSession({ source: session.uri });
    await say(fork, 'which number', PATIENCE_MS);
    expect(textOf(fork.confirmed.value.turns.at(-1))).toContain('4711');
    const how = noticesOf(fork).some((notice) => notice.includes('as text')) ? 'as text' : 'its own copy';
    console.info(`a fork of ${agentCase.provider}: ${how}`);
    // The source is as it was.
    await say(session, 'which number', PATIENCE_MS);
    expect(textOf(session.confirmed.value.turns.at(-1))).toContain('4711');
  });
});
