import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentEnvironment } from '../orphans/agentEnvironment.js';
import { findProgram } from './agentInstall.js';

export interface NpmCommand {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** What npm needs beyond what any agent gets: where the registry is, and the way there. */
const PASSED_ON = /^(npm_config_.*|https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_(file|dir))$/i;

/** npm as this machine has it: on PATH, or beside the Node that runs the host. */
export async function findNpm(env: Readonly<Record<string, string | undefined>>): Promise<NpmCommand | undefined> {
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && PASSED_ON.test(name) ? [[name, value] as const] : [],
  );
  const npmEnv = { ...agentEnvironment(env), ...Object.fromEntries(passed) };
  const path = await findProgram('npm', env);
  if (path !== undefined) return { path, args: [], env: npmEnv };
  const script = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const isThere = await access(script).then(
    () => true,
    () => false,
  );
  return isThere ? { path: process.execPath, args: [script], env: npmEnv } : undefined;
}
