import { join } from 'node:path';
import { fetchOnce, npmInstall } from '../../support/fetchOnce.ts';

/** code-server of npm, which carries the server and the web workbench of VS Code; by the version of VS Code in it. */
const CODE_SERVER = {
  '1.136.1': 'code-server@4.136.2',
  '1.139.1': 'code-server@4.139.1',
} as const;

export type VscodeVersion = keyof typeof CODE_SERVER;

export const VSCODE_VERSIONS = Object.keys(CODE_SERVER) as VscodeVersion[];

const CACHE = join(import.meta.dirname, '../../../.cache/vscode');

/**
 * No script of the packages runs and nothing is compiled: the server of VS Code starts without its native modules, and what
 * they are for (log files, its own agents, terminals) no test needs. Answers the folder with `out/server-main.js`.
 */
export async function installVscode(version: VscodeVersion): Promise<string> {
  const flags = ['--ignore-scripts', '--omit=dev', '--omit=optional'];
  const inside = 'node_modules/code-server/lib/vscode';
  const folder = await fetchOnce({
    folder: join(CACHE, version),
    packages: [CODE_SERVER[version]],
    flags,
    after: (root) => npmInstall(flags, join(root, inside)),
  });
  return join(folder, inside);
}
