import { join } from 'node:path';
import { type Agent, AgentsFileError, CopilotAgent, ShellAgent } from '@agenthost/host';
import {
  type AcpAgentReport,
  AGENTS_FOLDER,
  AgentInstallError,
  AgentInstaller,
  findRunningHost,
  reportAcpAgents,
  resolveStateRoot,
} from '@agenthost/host/internal';
import type { AgentLogin } from '@agenthost/protocol';
import { CommandError, EXIT } from './commandError.js';
import { onInterrupt } from './onInterrupt.js';
import { HostAgents } from './serve/hostAgents.js';
import { safeText } from './text/safeText.js';

/** The agents of a state folder, from a running host, or as this command finds them. */
interface AgentsHere {
  list(): Promise<readonly AcpAgentReport[]>;
  add(report: AcpAgentReport, onProgress: (message: string) => void): Promise<void>;
  remove(report: AcpAgentReport): Promise<void>;
  update(report: AcpAgentReport, onProgress: (message: string) => void): Promise<void>;
  close(): void;
}

export interface AgentsOptions {
  readonly action: 'list' | 'add' | 'rm' | 'update';
  readonly names: readonly string[];
  readonly stateDir: string | undefined;
  readonly json: boolean;
}

export async function agents(options: AgentsOptions): Promise<number> {
  const here = await open(resolveStateRoot({ env: process.env, ...(options.stateDir && { path: options.stateDir }) }));
  try {
    const reports = await here.list();
    if (options.action === 'list') for (const report of reports) print(options, report, describe(report));
    else for (const report of chosen(options, reports)) await change(here, options, report);
    return EXIT.ok;
  } catch (error) {
    throw readable(error);
  } finally {
    here.close();
  }
}

async function open(stateDir: string): Promise<AgentsHere> {
  const list = async () => {
    const own: Agent[] = [new ShellAgent(), new CopilotAgent({ agentsFolder: join(stateDir, AGENTS_FOLDER) })];
    const reports = own.map(async (agent): Promise<AcpAgentReport> => {
      const { provider, displayName } = agent.descriptor;
      const availability = await agent.availability();
      return { provider, displayName, availability, ...(agent.npmPackage && { npm: agent.npmPackage }) };
    });
    try {
      return [...(await Promise.all(reports)), ...(await reportAcpAgents(stateDir, process.env))];
    } finally {
      await Promise.all(own.map((agent) => agent.dispose()));
    }
  };
  const running = await findRunningHost(stateDir).catch(() => undefined);
  if (running?.url !== undefined) return HostAgents.open({ ...running, url: running.url }, list);
  const installer = new AgentInstaller({ stateDir, env: process.env });
  return {
    list,
    add: async ({ provider, npm }, onProgress) => {
      if (!npm) throw notInstallable(provider);
      const interrupted = new AbortController();
      const stop = () =>
        interrupted.abort(new CommandError(EXIT.failed, 'Interrupted.', 'Run the same command again to continue.'));
      const tell = ({ message }: { message: string }) => onProgress(message);
      const { signal } = interrupted;
      await onInterrupt(stop, () => installer.install(provider, npm, { signal, onProgress: tell }));
    },
    remove: async ({ provider, npm }) => {
      if (!npm) throw notInstallable(provider);
      if (!(await installer.remove(provider))) {
        throw new CommandError(EXIT.failed, `${provider} is not installed in ${stateDir}.`, 'There is nothing to do.');
      }
    },
    update: async ({ provider }) => {
      throw new CommandError(
        EXIT.failed,
        `Nothing is known of a newer version of ${provider}: a running host looks them up.`,
        'Start one with agenthost serve, then try again.',
      );
    },
    close: () => {},
  };
}

async function change(here: AgentsHere, options: AgentsOptions, report: AcpAgentReport): Promise<void> {
  const tell = (message: string) => {
    if (options.json) print(options, { event: 'progress', provider: report.provider, message });
    else process.stderr.write(`${message}\n`);
  };
  if (options.action === 'add') await here.add(report, tell);
  else if (options.action === 'update') await here.update(report, tell);
  else await here.remove(report);
  const after = (await here.list()).find(({ provider }) => provider === report.provider) ?? report;
  print(options, after, describe(after));
}

function chosen({ names }: AgentsOptions, reports: readonly AcpAgentReport[]): AcpAgentReport[] {
  return names.map((name) => {
    const report = reports.find(({ provider }) => provider === name);
    if (report) return report;
    const known = reports.map(({ provider }) => provider).join(', ');
    throw new CommandError(EXIT.usage, `There is no agent ${JSON.stringify(name)}.`, `There are: ${known}.`);
  });
}

function print({ json }: AgentsOptions, value: object, text = ''): void {
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
}

function describe({ provider, displayName, availability, path, from, login, models }: AcpAgentReport): string {
  const name = `${provider.padEnd(12)} ${displayName.padEnd(14)}`;
  if (availability.state === 'installing') return `${name} being installed`;
  if (availability.state === 'unavailable') {
    const size = availability.installable?.sizeHint;
    const cost = size === undefined ? '' : ` (about ${Math.round(size / 1_000_000)} MB)`;
    return `${name} not available: ${availability.reason}\n${' '.repeat(28)}${availability.howToFix}${cost}`;
  }
  const version = availability.version === undefined ? '' : ` ${availability.version}`;
  const where = from === undefined ? '' : from === 'path' ? `, on PATH: ${path}` : `, ${path}`;
  const newer = availability.newerVersion;
  const lines = [
    `${name} ${LOGIN_WORDS[login?.state ?? 'ready']}${version}${where}`,
    ...(login?.state === 'unknown' && (login.command || login.key) ? ['Its log-in was not tried yet.'] : []),
    ...(login?.state === 'needed' || login?.state === 'expired' ? [`Run agenthost agents login ${provider}.`] : []),
    ...(login && login.state !== 'needed' && login.source ? [`${SOURCE_WORDS[login.source]}${account(login)}`] : []),
    ...(models?.length ? [`Models: ${models.slice(0, 10).join(', ')}${models.length > 10 ? ', …' : ''}`] : []),
    ...(newer === undefined ? [] : [`Version ${newer} is there: agenthost agents update ${provider}.`]),
  ];
  return safeText(lines.join(`\n${' '.repeat(28)}`));
}

const LOGIN_WORDS: { readonly [S in AgentLogin['state']]: string } = {
  ready: 'available',
  needed: 'log-in needed',
  expired: 'log-in expired',
  unknown: 'available',
};
const SOURCE_WORDS: { readonly [S in NonNullable<AgentLogin['source']>]: string } = {
  own: 'Logged in by itself',
  environment: 'Key from the environment',
  key: 'Key kept by the host',
};

function account(login: AgentLogin): string {
  return login.account === undefined ? '' : ` as ${login.account}`;
}

function notInstallable(provider: string): CommandError {
  return new CommandError(
    EXIT.failed,
    `There is nothing to install or to remove for ${provider}.`,
    'See agenthost agents.',
  );
}

function readable(error: unknown): unknown {
  if (error instanceof AgentsFileError) return new CommandError(EXIT.failed, error.message, 'Correct the file.');
  if (!(error instanceof AgentInstallError)) return error;
  return new CommandError(EXIT.failed, error.what, error.whatToDo ?? 'Then try again.', { cause: error });
}
