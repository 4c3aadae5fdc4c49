import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { AcpAgents, CopilotAgent } from '@agenthost/host';
import { type ContentRef, parseSessionUri, type Turn } from '@agenthost/protocol';
import { onTestFinished } from 'vitest';
import { ModelServer } from '../../support/modelServer/modelServer.js';
import { png, wav } from '../../support/samples.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';
import { ACP_CASES, type AcpCase, specOf } from './acpCases.js';
import { agentEnv } from './agentCase.js';
import { scriptedCopilot } from './copilotConfiguration.js';
import { PATIENCE_MS, turnEnded } from './copilotHost.js';
import { AGENTS_FOLDER, installAgent } from './installAgents.js';

export const PICTURE = png(64, 64);
export const SOUND = wav();

export interface ReportsHost {
  readonly model: ModelServer;
  readonly client: HostClient;
  /** Another client. */
  readonly connect: TestHost['connect'];
  readonly cwd: string;
  /** Where the session's own files are. */
  folderOf(session: SessionHandle): string;
  open(config?: Readonly<Record<string, unknown>>): Promise<SessionHandle>;
}

/** A host with one real agent, a scripted model, a picture in the folder, an MCP server whose tool returns another, and one that asks. */
export async function startReportsHost(
  provider: 'copilot' | AcpCase['provider'],
  { maxPromptTokens, servers = true }: { readonly maxPromptTokens?: number; readonly servers?: boolean } = {},
): Promise<ReportsHost> {
  await installAgent(provider);
  const model = await ModelServer.start();
  const stateDir = await realpath(await temporaryFolder());
  const cwd = join(stateDir, 'project');
  await mkdir(join(stateDir, 'agents'), { recursive: true });
  await mkdir(cwd);
  await writeFile(join(cwd, 'picture.png'), PICTURE);
  const server = join(import.meta.dirname, '../../support/agents/pictureMcpServer.ts');
  const asking = join(import.meta.dirname, '../../support/agents/formMcpServer.ts');
  const env = { PICTURE: png(70, 70).toString('base64'), SOUND: SOUND.toString('base64') };
  const pictures = { command: process.execPath, args: [server], env };
  const forms = { command: process.execPath, args: [asking] };
  if (servers) await writeFile(join(stateDir, 'mcp.json'), JSON.stringify({ mcpServers: { pictures, forms } }));
  const scripted = scriptedCopilot(model);
  const own = scripted.providers?.['scripted'];
  const configuration =
    own && maxPromptTokens !== undefined
      ? { ...scripted, providers: { scripted: { ...own, maxPromptTokens } } }
      : scripted;
  const agentCase = ACP_CASES.find((one) => one.provider === provider);
  if (agentCase) {
    await symlink(join(AGENTS_FOLDER, provider), join(stateDir, 'agents', provider));
    const prepared = { ...(await agentCase.prepare(stateDir, model.url)), NO_PROXY: '*' };
    const agents = { [provider]: { env: prepared, args: specOf(agentCase).args } };
    await writeFile(join(stateDir, 'agents.json'), JSON.stringify({ agents }));
  }
  const host = await startTestHost({
    stateDir,
    agents: agentCase ? [] : [new CopilotAgent({ agentsFolder: AGENTS_FOLDER, configuration })],
    agentSources: agentCase ? [new AcpAgents()] : [],
    env: agentEnv(stateDir),
    defaultDirectory: cwd,
  });
  onTestFinished(async () => {
    await host.dispose();
    await model.dispose();
  });
  const client = await host.connect();
  await until(
    client.root.state,
    ({ agents }) => agents.some((agent) => agent.provider === provider && agent.availability.state === 'available'),
    'the agent',
    PATIENCE_MS,
  );
  return {
    model,
    client,
    connect: host.connect,
    cwd,
    folderOf: ({ uri }) => join(stateDir, 'session-state', parseSessionUri(uri)?.sessionId ?? ''),
    open: async (config) => {
      const workingDirectory = pathToFileURL(cwd).href;
      const session = await client.createSession({ provider, workingDirectory, ...(config && { config }) });
      await session.ready();
      return session;
    },
  };
}

/** Sends, approves whatever is asked, and waits for the end of the turn. */
export async function said(session: SessionHandle, text: string): Promise<Turn> {
  const count = session.confirmed.value.turns.length + 1;
  const watching = session.pendingConfirmations.subscribe((open) => {
    for (const one of open) one.approve().catch(() => {});
  });
  try {
    await session.send(text);
    const turn = (await turnEnded(session, count)).turns.at(-1);
    if (!turn) throw new Error('there is no turn');
    return turn;
  } finally {
    watching.dispose();
  }
}

/** What the results of a turn's tools refer to. */
export function resultRefs({ toolCalls }: Turn): ContentRef[] {
  return toolCalls
    .flatMap((call) => (call.status === 'completed' ? (call.result.content ?? []) : []))
    .flatMap((piece) => (piece.type === 'contentRef' ? [piece.ref] : []));
}

export const notices = ({ responseParts }: Turn): string[] =>
  responseParts.flatMap((part) => (part.kind === 'notice' ? [part.text] : []));
