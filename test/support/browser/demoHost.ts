import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { connect, type HostClient, type SessionHandle } from '@agenthost/client';
import { Host, type ListenOptions, ShellAgent } from '@agenthost/host';
import type { AgentIcon } from '@agenthost/protocol';
import { type Script, ScriptedAgent } from '../agents/scriptedAgent.ts';
import { demoScripts } from './demoScript.ts';

const PAGE = join(import.meta.dirname, '../../../apps/web/dist');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface DemoHost {
  readonly host: Host;
  readonly url: URL;
  readonly token: string;
  /** The link that a person would open. */
  readonly link: string;
  /** Another person, who looks at the same sessions. */
  readonly mira: HostClient;
  /** By the first words of their prompts. */
  readonly sessions: ReadonlyMap<string, SessionHandle>;
  dispose(): Promise<void>;
}

interface Plan {
  readonly agent: string;
  readonly folder: string;
  readonly prompt: string;
  readonly title: string;
  readonly age: number;
  readonly read?: boolean;
  readonly archived?: boolean;
}

const PLANS: readonly Plan[] = [
  plan('claude', 'infra', 'Try Pulumi', 'Try Pulumi instead', 13 * 24 * HOUR, { read: true, archived: true }),
  plan('claude', 'storefront', 'Explain the pricing', 'Explain the pricing rules', 3 * 24 * HOUR, { read: true }),
  plan('copilot', 'infra', 'Rotate the staging', 'Rotate the staging certificates', 3 * HOUR),
  plan('copilot', 'agenthost', 'Why does vitest', 'Why does vitest hang on CI?', 2 * HOUR, { read: true }),
  plan('gemini', 'storefront', 'Cart total', 'Cart total is off by one cent', HOUR),
  plan('copilot', 'agenthost', 'Freeze the v1', 'Freeze the v1 wire types', 18 * MINUTE),
  plan('codex', 'infra', 'Terraform plan', 'Terraform plan for the new region', 9 * MINUTE, { read: true }),
  plan('copilot', 'storefront', 'Nightly', 'Nightly: update dependencies', 6 * MINUTE),
  plan('opencode', 'storefront', 'Move checkout', 'Move checkout to server actions', 4 * MINUTE),
  plan('codex', 'agenthost', 'Page older turns', 'Page older turns from the log', MINUTE, { read: true }),
  plan(
    'claude',
    'agenthost',
    'After a reconnect, a queued message is sometimes sent twice. Find out why, and fix it with a test that fails first.',
    'Queued message sent twice after reconnect',
    12_000,
  ),
];

function plan(
  agent: string,
  folder: string,
  prompt: string,
  title: string,
  age: number,
  extra: { read?: boolean; archived?: boolean } = {},
): Plan {
  return { agent, folder, prompt, title, age, ...extra };
}

/** A host in this process with sessions in every state, agents that a script plays, and the built page. */
export async function startDemoHost(
  options: { empty?: boolean; root?: string; listen?: (host: Host) => ListenOptions } = {},
): Promise<DemoHost> {
  const { empty = false } = options;
  const root = options.root ?? (await mkdtemp(join(tmpdir(), 'agenthost-demo-')));
  // Not recursive: a foreign folder is not used, and not removed afterwards.
  if (options.root !== undefined) await mkdir(root);
  const folders = new Map<string, string>();
  for (const name of ['agenthost', 'storefront', 'infra']) {
    const path = join(root, 'code', name);
    await mkdir(join(path, '.git'), { recursive: true });
    await mkdir(join(path, 'src'));
    await writeFile(join(path, '.git/HEAD'), 'ref: refs/heads/fix/reconnect-replay\n');
    folders.set(name, pathToFileURL(path).href);
  }
  const scripts = demoScripts(folders.get('agenthost') ?? '');
  const script: Script = (message, turn) => {
    const found = [...scripts].find(([prompt]) => message.text.startsWith(prompt))?.[1];
    return found ? found(message, turn) : [{ type: 'text', text: `You said: ${message.text}` }];
  };
  const agent = (provider: string, icon: AgentIcon, displayName: string, description: string, model: string) =>
    new ScriptedAgent({
      provider,
      icon,
      displayName,
      description,
      script,
      commands: [
        { name: 'review', description: 'Looks over the changes of a branch', inputHint: 'branch' },
        { name: 'compact', description: 'Sums up what was said so far' },
        { name: 'init', description: 'Writes an AGENTS.md for this folder' },
      ],
      models: [{ id: model, name: model, maxContextWindow: 200_000 }],
    });
  let age = 0;
  const host = await Host.start({
    stateDir: join(root, 'state'),
    defaultDirectory: join(root, 'code'),
    now: () => Date.now() - age,
    agents: [
      agent('claude', 'asterisk', 'Claude Code', 'Edits files, runs commands', 'Sonnet 4.5'),
      agent('codex', 'box', 'Codex', 'Edits files, runs commands', 'GPT-5'),
      agent('copilot', 'bot', 'Copilot', 'Edits files, runs commands', 'Auto'),
      new ScriptedAgent({
        provider: 'gemini',
        icon: 'sparkle',
        displayName: 'Gemini',
        description: 'Edits files, runs commands',
        script,
        ...(empty && {
          availability: {
            state: 'unavailable',
            reason: 'Gemini is not installed.',
            howToFix: 'Run `agenthost agents add gemini` on this machine.',
            installable: { sizeHint: 180_000_000 },
          },
        }),
      }),
      agent('opencode', 'braces', 'OpenCode', 'Edits files, runs commands', 'Big Pickle'),
      new ShellAgent(),
    ],
  });
  const { url, token } = await host.listen({ pageFolder: PAGE, ...options.listen?.(host) });
  const mira = await connect({ url, token, clientInfo: { name: 'Mira Kovač', device: 'iPhone' } });
  const sessions = new Map<string, SessionHandle>();
  for (const one of empty ? [] : PLANS) {
    age = one.age;
    const session = await mira.createSession({
      provider: one.agent,
      workingDirectory: folders.get(one.folder) ?? '',
    });
    await session.ready();
    await session.send(one.prompt);
    await session.rename(one.title);
    await settled(session);
    await session.markRead(one.read === true);
    if (one.archived) await session.archive();
    sessions.set(one.prompt.split(',')[0] ?? '', session);
    if (one.age > MINUTE) session.close();
  }
  age = 0;
  return {
    host,
    url,
    token,
    link: `${url.origin}/#token=${token}`,
    mira,
    sessions,
    async dispose() {
      mira.close();
      await host.close();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The turn is over, waits for an answer, or has reached the end of its script. */
async function settled(session: SessionHandle): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    const state = session.state.value;
    const turn = state.activeTurn;
    const waits =
      turn &&
      (Object.keys(turn.pendingPermissions).length > 0 ||
        Object.values(turn.toolCalls).some(({ status }) => status === 'pendingConfirmation') ||
        Object.values(turn.toolCalls).at(-1)?.status === 'running');
    if (waits || (!turn && state.turns.length > 0)) resolve();
  };
  const following = session.state.subscribe(look);
  look();
  await promise;
  following.dispose();
}
