import { homedir } from 'node:os';
import { resolveStateRoot } from '@agenthost/host/internal';
import { defineCommand } from '../command.js';
import { CommandError, EXIT, usageError } from '../commandError.js';
import { commandScript } from '../commandScript.js';
import { launchd } from '../service/launchd.js';
import { type InstalledService, installService, serviceStatus, uninstallService } from '../service/serviceActions.js';
import type { ServiceManager } from '../service/serviceManager.js';
import { planService } from '../service/servicePlan.js';
import { systemd } from '../service/systemd.js';

const ACTIONS = ['install', 'status', 'uninstall'] as const;

export const command = defineCommand({
  name: 'service',
  summary: 'run a host in the background, from login on',
  usage: 'install|status|uninstall [flags] [-- SERVE-FLAGS]',
  options: {
    'state-dir': { type: 'string', value: 'FOLDER', help: 'install: the state folder of the host' },
    'dry-run': { type: 'boolean', help: 'print the file and the commands, and change nothing' },
    json: { type: 'boolean', help: 'status: print JSON instead of text' },
  },
  completes: ACTIONS,
  notes: `install writes a unit for your user's systemd (Linux) or an agent for launchd (macOS), starts it, and starts it at each login.
Flags after -- are those of agenthost serve. Tokens and passwords are never written there: the host has the token of its state folder.
Installing again replaces it. uninstall stops and removes the service; sessions stay. status exits with 0 while it runs, with 1 while it
does not, and with 6 if there is none.`,
  examples: [
    'agenthost service install',
    'agenthost service install -- --lan',
    'agenthost service install --dry-run -- --port 5000 --public-url https://agents.example.org',
    'agenthost service status',
    'agenthost service uninstall',
  ],
  run: async (values, [what, ...serveFlags]) => {
    const action = ACTIONS.find((known) => known === what);
    if (!action) throw usageError('Say what to do with the service.', `Give one of ${ACTIONS.join(', ')}; see --help.`);
    const manager = managerHere();
    if (action !== 'install' && serveFlags.length > 0) {
      throw usageError(`${action} takes no flags of serve.`, 'Only install does; see --help.');
    }
    if (action === 'install') return install(manager, values, serveFlags);
    if (values['dry-run'])
      return printSteps(manager, action === 'status' ? [manager.look] : [...manager.stop, ...manager.forget]);
    if (action === 'uninstall') return uninstall(manager);
    return status(manager, values.json ?? false);
  },
});

type InstallValues = { readonly 'state-dir'?: string; readonly 'dry-run'?: boolean };

async function install(manager: ServiceManager, values: InstallValues, serveFlags: readonly string[]): Promise<number> {
  const stateDir = values['state-dir'];
  const plan = planService({
    node: process.execPath,
    script: commandScript(),
    stateDir: resolveStateRoot({ env: process.env, ...(stateDir !== undefined && { path: stateDir }) }),
    searchPath: process.env['PATH'] ?? '',
    serveFlags,
  });
  for (const name of ['AGENTHOST_TOKEN', 'AGENTHOST_DATABASE']) {
    if (process.env[name]) process.stderr.write(`$${name} is set here, and does not count for the service.\n`);
  }
  if (values['dry-run']) {
    process.stdout.write(manager.render(plan));
    return printSteps(manager, manager.start);
  }
  const url = await installService(manager, plan);
  const log = manager.logCommand(plan.stateDir);
  if (url === undefined) {
    throw new CommandError(
      EXIT.cannotStart,
      'The service was installed, but no host listens yet.',
      `See why with ${log}`,
    );
  }
  process.stdout.write(`The service runs: ${new URL(url).origin}

  agenthost token show              its token, to open it
  agenthost service status          whether it runs
  ${log}
`);
  if (manager.hint !== undefined) process.stderr.write(`${manager.hint}\n`);
  return EXIT.ok;
}

async function status(manager: ServiceManager, json: boolean): Promise<number> {
  const found = await serviceStatus(manager);
  const log = found && manager.logCommand(found.stateDir);
  if (json)
    process.stdout.write(
      `${JSON.stringify({ isInstalled: found !== undefined, ...found, file: manager.file, log })}\n`,
    );
  else
    process.stdout.write(
      found ? describe(found, manager.file, log ?? '') : 'No service is installed: agenthost service install.\n',
    );
  if (!found) return EXIT.notFound;
  return found.isRunning ? EXIT.ok : EXIT.failed;
}

function describe(
  { isRunning, pid, word, problem, url, stateDir }: InstalledService,
  file: string,
  log: string,
): string {
  const details = `${word}${pid === undefined ? '' : `, process ${pid}`}`;
  const state = isRunning ? `The service runs (${details}).` : `The service does not run (${details}).`;
  return `${problem === undefined ? state : `It is not known whether the service runs: ${problem}.`}

  address  ${url === undefined ? 'none: no host listens' : new URL(url).origin}
  state    ${stateDir}
  log      ${log}
  file     ${file}
`;
}

async function uninstall(manager: ServiceManager): Promise<number> {
  const stateDir = await uninstallService(manager);
  process.stdout.write(
    stateDir === undefined
      ? 'No service is installed.\n'
      : `The service is removed. Its sessions stay in ${stateDir}.\n`,
  );
  return EXIT.ok;
}

function printSteps({ file }: ServiceManager, steps: ServiceManager['start']): number {
  process.stderr.write(`${file}\n${steps.map(({ command: words }) => `${words.join(' ')}\n`).join('')}`);
  return EXIT.ok;
}

function managerHere(): ServiceManager {
  if (process.platform === 'linux') return systemd(process.env, homedir());
  if (process.platform === 'darwin') return launchd(homedir(), process.getuid?.() ?? 0);
  throw new CommandError(
    EXIT.failed,
    `agenthost can't install a service on ${process.platform}.`,
    'Let your system start agenthost serve at login; it stops on SIGTERM.',
  );
}
