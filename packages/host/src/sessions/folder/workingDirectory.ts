import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';

/** The folder of a `file:` URI. It must exist: otherwise the agent would fail later with a less clear error. */
export async function workingDirectoryOf(uri: URI | undefined, fallback: string): Promise<string> {
  const path = uri === undefined ? fallback : filePath(uri);
  const problem = await directoryProblem(path);
  if (problem === undefined) return path;
  const message =
    uri === undefined
      ? `params.workingDirectory: none was given, and ${fallback}, where sessions work without one, ${problem} on the host's machine; make it, or give another`
      : `params.workingDirectory: ${uri} ${problem}`;
  throw new RpcError(ERROR_CODE.notFound, message);
}

/** Why a session can't work there; `undefined` for a folder of this machine. */
export async function directoryProblem(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return 'does not exist';
  return found.isDirectory() ? undefined : 'is not a directory';
}

/** The path of a `file:` URI of this machine, or an error that says what is wrong with it. */
export function filePath(uri: URI): string {
  try {
    const url = new URL(uri);
    if (url.protocol === 'file:') return fileURLToPath(url);
  } catch {
    // Rejected below, like any other URI that names no file.
  }
  throw new RpcError(ERROR_CODE.invalidParams, `not a file: URI of this machine: ${uri.slice(0, 200)}`);
}
