import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findHost } from '@agenthost/host/discovery';
import { findRunningHost, writePrivateFile } from '@agenthost/host/maintenance';
import { CommandError, EXIT } from '../commandError.js';
import { runStep } from './runStep.js';
import { type ServiceManager, type ServiceState, type Step, stateDirOf } from './serviceManager.js';
import type { ServicePlan } from './servicePlan.js';

const LISTENS_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** Writes the file and starts the service. Returns the address, if the host listens within a while. */
export async function installService(manager: ServiceManager, plan: ServicePlan): Promise<string | undefined> {
  await installed(manager);
  await refuseSecondHost(manager, plan);
  await mkdir(dirname(manager.file), { recursive: true });
  // launchd opens the log in it before the host starts.
  await mkdir(plan.stateDir, { recursive: true, mode: 0o700 });
  await writePrivateFile(manager.file, manager.render(plan));
  await runAll(manager.start, `${manager.file} is written, but the service could not be started`);
  return listeningUrl(manager, plan.stateDir);
}

export interface InstalledService extends ServiceState {
  readonly stateDir: string;
  readonly url: string | undefined;
}

/** `undefined` if there is none. */
export async function serviceStatus(manager: ServiceManager): Promise<InstalledService | undefined> {
  const stateDir = await installed(manager);
  if (stateDir === undefined) return undefined;
  const state = await look(manager);
  const { pid, url } = findHost({ env: {}, path: stateDir });
  return { ...state, stateDir, url: state.isRunning && pid === state.pid ? url : undefined };
}

/** Stops the service and removes its file, and nothing else. Returns the state folder; `undefined` if there was no service. */
export async function uninstallService(manager: ServiceManager): Promise<string | undefined> {
  const stateDir = await installed(manager);
  if (stateDir === undefined) return undefined;
  await runAll(manager.stop, `The service could not be stopped, so ${manager.file} is still there`, 'missing');
  await rm(manager.file);
  await runAll(manager.forget, `${manager.file} is removed, but the service manager was not told`, 'missing');
  return stateDir;
}

/** The state folder of the service that is installed. Throws if the file is somebody else's. */
async function installed({ file }: ServiceManager): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const stateDir = stateDirOf(text);
  if (stateDir !== undefined) return stateDir;
  throw new CommandError(
    EXIT.failed,
    `${file} was not written by agenthost service; nothing was changed.`,
    'Stop that service and move its file away, then run this again.',
  );
}

/** One host at a time uses a state folder: the service would fail again and again. */
async function refuseSecondHost(manager: ServiceManager, { stateDir }: ServicePlan): Promise<void> {
  const running = await findRunningHost(stateDir);
  if (!running || (await look(manager)).pid === running.pid) return;
  throw new CommandError(
    EXIT.cannotStart,
    `A host that is not the service runs on ${stateDir} already: process ${running.pid}.`,
    'Stop it (Ctrl+C where it runs), then run this again; or choose another folder with --state-dir.',
  );
}

async function look(manager: ServiceManager): Promise<ServiceState> {
  const result = await runStep(manager.look);
  if (result.outcome === 'done') return manager.stateOf(result.output);
  if (result.outcome === 'failed' && manager.look.mayFail) return manager.stateOf('');
  return { isRunning: false, word: 'unknown', problem: result.why };
}

async function listeningUrl(manager: ServiceManager, stateDir: string): Promise<string | undefined> {
  for (const until = Date.now() + LISTENS_MS; Date.now() < until; await wait(LOOK_EVERY_MS)) {
    const state = await look(manager);
    // Otherwise the manager is about to start it.
    if (!state.isRunning && /failed|inactive|auto-restart/.test(state.word)) return undefined;
    const { pid, url } = findHost({ env: {}, path: stateDir });
    if (state.isRunning && url !== undefined && pid === state.pid) return url;
  }
  return undefined;
}

/** The rest is for the user to do where a step can't be done here. */
async function runAll(steps: readonly Step[], what: string, unless?: 'missing'): Promise<void> {
  for (const [at, step] of steps.entries()) {
    const result = await runStep(step);
    if (result.outcome === 'done' || step.mayFail || result.outcome === unless) continue;
    const rest = steps.slice(at).map(({ command }) => `  ${command.join(' ')}`);
    throw new CommandError(
      EXIT.failed,
      `${what}: ${result.why}.`,
      `Run this yourself, where it works:\n${rest.join('\n')}`,
    );
  }
}
