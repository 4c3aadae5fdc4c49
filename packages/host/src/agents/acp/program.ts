import { constants } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { AGENTS_FOLDER, findProgram, resolveAgentInstall } from '../install/agentInstall.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';
import type { Program } from './acpProcess.js';

export interface FoundProgram extends Program {
  readonly from: 'installed' | 'path' | 'command';
  /** The script to run, when `path` is Node. */
  readonly script?: string;
  /** Present when it is known. */
  readonly version?: string;
}

export interface ProgramPlaces {
  readonly stateDir: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
}

/** An agent that was installed into the state root takes precedence over a program on PATH. */
export async function findAgentProgram(
  spec: AcpAgentSpec,
  { stateDir, hostEnv }: ProgramPlaces,
): Promise<FoundProgram | undefined> {
  const { command, args, npm, provider } = spec;
  if (isAbsolute(command)) return (await isProgram(command)) ? { path: command, args, from: 'command' } : undefined;
  const installed = npm && (await resolveAgentInstall(join(stateDir, AGENTS_FOLDER), provider, npm.name));
  if (installed) {
    const bin = await binOf(installed.path, command);
    if (bin !== undefined) return { ...run(bin, args), from: 'installed', version: installed.version };
  }
  const path = await findProgram(command, hostEnv);
  return path === undefined ? undefined : { path, args, from: 'path' };
}

/** A program by its name: the agent's own, one of the packages that were installed with it, or one on PATH; or by its absolute path. */
export async function findNamedProgram(
  name: string,
  args: readonly string[],
  spec: AcpAgentSpec,
  places: ProgramPlaces,
): Promise<Program | undefined> {
  if (isAbsolute(name)) return (await isProgram(name)) ? { path: name, args } : undefined;
  if (name === spec.command) return findAgentProgram({ ...spec, args }, places);
  if (spec.npm) {
    const bin = join(places.stateDir, AGENTS_FOLDER, spec.provider, 'node_modules/.bin', name);
    const file = await realpath(bin).catch(() => undefined);
    if (file !== undefined && (await isProgram(file))) return run(file, args);
  }
  const path = await findProgram(name, places.hostEnv);
  return path === undefined ? undefined : { path, args };
}

/** Scripts run on the host's own Node: the one on PATH may be too old for them. */
function run(bin: string, args: readonly string[]): Program & { script?: string } {
  if (!/\.[cm]?js$/.test(bin)) return { path: bin, args };
  return { path: process.execPath, args: [bin, ...args], script: bin };
}

async function binOf(folder: string, name: string): Promise<string | undefined> {
  try {
    const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as { bin?: unknown };
    const named = typeof bin === 'object' && bin !== null ? (bin as Record<string, unknown>)[name] : bin;
    if (typeof named !== 'string') return undefined;
    const file = join(folder, named);
    return (await stat(file)).isFile() ? file : undefined;
  } catch {
    return undefined;
  }
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
