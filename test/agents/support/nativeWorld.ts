import { mkdir, readdir, realpath, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { onTestFinished } from 'vitest';
import { text } from '../../support/modelServer/modelReply.js';
import { ModelServer } from '../../support/modelServer/modelServer.js';
import { startRestartableHost } from '../../support/restartableHost.js';
import { until } from '../../support/until.js';
import { type AcpCase, specOf } from './acpCases.js';
import { PATIENCE_MS, turnEnded } from './copilotHost.js';
import { AGENTS_FOLDER, installAgent } from './installAgents.js';

export interface NativeWorld {
  readonly model: ModelServer;
  readonly home: string;
  readonly cwd: string;
  readonly client: HostClient;
  /** What the agent's environment needs beside the home. */
  readonly env: Record<string, string>;
}

/** A real host with a real agent, whose home is a folder of its own; all of it goes when the test ends. */
export async function nativeWorld(agentCase: AcpCase): Promise<NativeWorld> {
  const { provider } = agentCase;
  await installAgent(provider);
  const model = await ModelServer.start();
  model
    .script('the number is 4711', text('I will remember.'))
    .script('the colour is blue', text('Noted.'))
    .script('said in a terminal', text('Heard.'))
    .script('which number', ({ items }) => {
      const all = items.map((item) => item.text).join(' ');
      const found = [/number is (\d+)/, /colour is (\w+)/, /(said in a terminal)/].map((fact) => fact.exec(all)?.[1]);
      return text(`It was ${found.join(', ')}.`);
    });
  const host = await startRestartableHost([]);
  onTestFinished(async () => {
    await host.dispose();
    await model.dispose();
  });
  const home = await realpath(host.stateDir);
  await mkdir(join(home, 'agents'), { recursive: true });
  await symlink(join(AGENTS_FOLDER, provider), join(home, 'agents', provider));
  const env = { ...(await agentCase.prepare(home, model.url)), NO_PROXY: '*' };
  const { args } = specOf(agentCase);
  await writeFile(join(home, 'agents.json'), JSON.stringify({ agents: { [provider]: { env, args } } }));
  const cwd = join(home, 'project');
  await mkdir(cwd);
  const client = await host.connect({ clientInfo: { name: 'Alice' } });
  const isThere = ({ agents }: (typeof client.root.state)['value']) =>
    agents.some((agent) => agent.provider === provider && agent.availability.state === 'available');
  await until(client.root.state, isThere, 'the agent', PATIENCE_MS);
  return { model, home, cwd, client, env };
}

export const ended = async (session: SessionHandle, message: string, turns: number) => {
  await session.send({ text: message });
  await turnEnded(session, turns);
  return session.confirmed.value.turns.at(-1);
};

export const noticesOf = (turn: Turn | undefined) =>
  (turn?.responseParts ?? []).flatMap((part) => (part.kind === 'notice' ? [part.text] : []));

/** All files of the store, as they would be an hour later. */
export async function rest(home: string): Promise<void> {
  const then = Date.now() / 1_000 - 3_600;
  for (const store of ['.claude/projects', '.codex/sessions', '.copilot/session-state', '.gemini/tmp']) {
    const entries = await readdir(join(home, store), { recursive: true, withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), then, then);
  }
}
