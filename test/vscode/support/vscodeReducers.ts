import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { installVscode, type VscodeVersion } from './installVscode.ts';

// biome-ignore lint/suspicious/noExplicitAny: states of a protocol that this side does not define
type Reducer = (state: any, action: any, log?: (message: string) => void) => any;

export interface VscodeReducers {
  readonly session: Reducer;
  readonly chat: Reducer;
}

/**
 * The reducers of the workbench itself, out of the script that browsers load: they stand there side by side, from the function that
 * reports what none of them knows to the end of the chat's.
 */
export async function vscodeReducers(version: VscodeVersion): Promise<VscodeReducers> {
  const script = await readFile(
    join(await installVscode(version), 'out/vs/code/browser/workbench/workbench.js'),
    'utf8',
  );
  const start = script.lastIndexOf('function ', script.indexOf('Unhandled action type:'));
  const rest = script.slice(start, start + 100_000);
  const last = /case"chat\/draftChanged":return\{[^}]*\};default:return [\w$]+\([\w$]+,[\w$]+\),[\w$]+\}\}/.exec(rest);
  const session = nameOf('session/ready', rest);
  const chat = nameOf('chat/turnStarted', rest);
  if (!last || !session || !chat) throw new Error(`the reducers of VS Code ${version} are not where they were`);
  const source = rest.slice(0, last.index + last[0].length);
  return runInNewContext(`${source};({ session: ${session}, chat: ${chat} })`, {}) as VscodeReducers;
}

function nameOf(first: string, script: string): string | undefined {
  return new RegExp(`function ([\\w$]+)\\([^)]*\\)\\{switch\\([\\w$]+\\.type\\)\\{case"${first}"`).exec(script)?.[1];
}
