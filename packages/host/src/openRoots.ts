import type { HostLog } from './hostLog.js';
import type { HostOptions } from './hostOptions.js';
import { sessionSettings } from './sessionSettings.js';
import { StateRoot } from './storage/stateRoot/stateRoot.js';
import { TempRoot } from './storage/stateRoot/tempRoot.js';

/** The state folder, locked for this host, and the folder for its temporary files. */
export async function openRoots(
  options: HostOptions,
  log: HostLog,
): Promise<{ readonly stateRoot: StateRoot; readonly tempRoot: TempRoot }> {
  const stateRoot = await StateRoot.open({
    env: options.env ?? process.env,
    ...(options.stateDir !== undefined && { path: options.stateDir }),
    warn: (message) => log.warn(message),
  });
  try {
    const tempRoot = await TempRoot.open({
      stateRoot: stateRoot.path,
      keep: sessionSettings(options).keepTempFiles,
      onError: (error) => log.warn(`temporary files of an earlier host could not be removed: ${String(error)}`),
    });
    return { stateRoot, tempRoot };
  } catch (error) {
    await stateRoot.dispose();
    throw error;
  }
}
