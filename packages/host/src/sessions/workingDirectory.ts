import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ERROR_CODE, type URI } from '@agenthost/protocol';
import { RpcError } from '@agenthost/rpc';

/** The folder that a `file:` URI names: it must exist, or the agent would fail later and less clearly. */
export async function workingDirectoryOf(uri: URI | undefined, fallback: string): Promise<string> {
  if (uri === undefined) return fallback;
  const path = filePath(uri);
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new RpcError(ERROR_CODE.notFound, `params.workingDirectory: ${uri} does not exist`);
  if (!found.isDirectory())
    throw new RpcError(ERROR_CODE.notFound, `params.workingDirectory: ${uri} is not a directory`);
  return path;
}

/** The path of a `file:` URI of this machine, or an error that says what is wrong with it. */
export function filePath(uri: URI): string {
  try {
    const url = new URL(uri);
    if (url.protocol === 'file:') return fileURLToPath(url);
  } catch {
    // Answered below, like any other URI that is no file's.
  }
  throw new RpcError(ERROR_CODE.invalidParams, `not a file: URI of this machine: ${uri.slice(0, 200)}`);
}
