import { spawn } from 'node:child_process';
import { connect, type HostClient } from '@agenthost/client';
import {
  emptyFolder,
  findRunningHost,
  type LocalAgents,
  openLocalAgents,
  resolveStateRoot,
} from '@agenthost/host/internal';
import type { AgentLogin } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { CommandError, EXIT } from '../commandError.js';
import { withHost } from '../withHost.js';
import { readSecret } from './readSecret.js';
import { remoteLogin } from './remoteLogin.js';

export interface AgentLoginOptions {
  readonly action: 'login' | 'logout';
  readonly name: string;
  readonly withKey: boolean;
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly stateDir: string | undefined;
  readonly json: boolean;
}

/** What a log-in needs of the agents, on this machine or of a host. */
interface Logins {
  check(provider: string): Promise<AgentLogin | undefined>;
  setKey(provider: string, key: string): Promise<boolean>;
  logOut(provider: string): Promise<void>;
}

/** Logs in to an agent: with a host elsewhere through its terminal, else in this one. */
export async function agentLogin(options: AgentLoginOptions): Promise<number> {
  const address = options.url ?? (options.stateDir === undefined ? process.env['AGENTHOST_URL'] : undefined);
  if (address === undefined) return local(options);
  const { token } = options;
  return withHost({ url: address, ...(token !== undefined && { token }) }, async (host) => {
    const known = host.root.state.value.agents.map(({ provider }) => provider);
    if (!known.includes(options.name)) throw unknownAgent(options.name, known);
    const { name } = options;
    if (options.action === 'logout' || options.withKey) return change(options, host.logins);
    print(
      options,
      await remoteLogin(host, name),
      host.root.state.value.agents.find((one) => one.provider === name)?.login,
    );
    return EXIT.ok;
  });
}

async function local(options: AgentLoginOptions): Promise<number> {
  const stateDir = resolveStateRoot({ env: process.env, ...(options.stateDir && { path: options.stateDir }) });
  const agents = await openLocalAgents(stateDir, process.env);
  const host = await runningHost(stateDir);
  const { name } = options;
  try {
    const known = agents.registry.infos().map(({ provider }) => provider);
    if (!known.includes(name)) throw unknownAgent(name, known);
    // Hosts that share their sessions take no log-ins from clients; they read the same folder.
    const logins: Logins = host && host.serverInfo?.cluster === undefined ? host.logins : agents.logins;
    if (options.action === 'logout' || options.withKey) return await change(options, logins);
    await runProgram(agents, name, stateDir);
    const after = await logins.check(name).catch(() => undefined);
    if (after?.state === 'needed') {
      throw new CommandError(EXIT.failed, `${name} still needs a log-in.`, 'Run the same command again.');
    }
    print(options, `${displayName(agents, name)} is logged in.`, after);
    return EXIT.ok;
  } catch (error) {
    throw readable(error);
  } finally {
    host?.close();
    await agents.dispose();
  }
}

/** In this terminal, as if the user had typed it. */
async function runProgram(agents: LocalAgents, provider: string, stateDir: string): Promise<void> {
  const program = await agents.registry.get(provider)?.login?.program('login');
  const name = displayName(agents, provider);
  if (!program) {
    const whatToDo = `Install it with agenthost agents add ${provider}, or use --key.`;
    throw new CommandError(EXIT.failed, `The log-in program of ${name} was not found.`, whatToDo);
  }
  // Ctrl+C is for the program.
  const ignore = () => undefined;
  process.on('SIGINT', ignore);
  const folder = await emptyFolder(stateDir);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      const child = spawn(program.path, [...program.args], {
        stdio: 'inherit',
        // Not the current folder, whose configuration could run something.
        cwd: folder.path,
        env: { ...process.env, ...program.env },
      });
      child.once('error', reject);
      child.once('close', (exitCode) => resolve(exitCode ?? 1));
    });
    if (code === 0) return;
    throw new CommandError(
      EXIT.failed,
      `${program.shown} ended with exit code ${code}.`,
      'Run the same command again.',
    );
  } finally {
    process.off('SIGINT', ignore);
    await folder.remove();
  }
}

async function change(options: AgentLoginOptions, logins: Logins): Promise<number> {
  const { name } = options;
  if (options.action === 'logout') {
    await logins.logOut(name);
    print(options, `Logged out of ${name}.`, undefined);
    return EXIT.ok;
  }
  const isChecked = await logins.setKey(name, await readSecret(`Key for ${name} (it is not shown): `));
  const note = isChecked ? 'It was checked and works.' : 'It was not checked: the first turn shows whether it works.';
  print(options, `The key is saved. ${note}`, undefined, { isChecked });
  return EXIT.ok;
}

async function runningHost(stateDir: string): Promise<HostClient | undefined> {
  const running = await findRunningHost(stateDir).catch(() => undefined);
  if (running?.url === undefined) return undefined;
  const token = process.env['AGENTHOST_TOKEN'] || running.token;
  try {
    return await connect({ url: running.url, clientInfo: { name: 'agenthost agents' }, ...(token && { token }) });
  } catch (cause) {
    throw new CommandError(
      EXIT.failed,
      `A host runs on this state folder (process ${running.pid}), but it can't be reached: ${errorMessage(cause)}`,
      'Set AGENTHOST_TOKEN as it was when the host was started, or stop the host.',
      { cause },
    );
  }
}

function displayName(agents: LocalAgents, provider: string): string {
  return agents.registry.get(provider)?.descriptor.displayName ?? provider;
}

function unknownAgent(name: string, known: readonly string[]): CommandError {
  const what = `There is no agent ${JSON.stringify(name)} that people log in to.`;
  return new CommandError(EXIT.usage, what, `There are: ${known.join(', ')}.`);
}

function print(
  { json, name }: AgentLoginOptions,
  text: string,
  login: AgentLogin | undefined,
  more: object = {},
): void {
  const value = { provider: name, message: text, ...(login && { login }), ...more };
  process.stdout.write(json ? `${JSON.stringify(value)}\n` : `${text}\n`);
}

function readable(error: unknown): unknown {
  if (error instanceof CommandError) return error;
  return new CommandError(EXIT.failed, errorMessage(error), 'agenthost agents lists the agents and their state.', {
    cause: error,
  });
}
