import { watch } from 'node:fs';
import type { HostLog } from '../../hostLog.js';
import { DEVICE_TOKENS_FILE, type DeviceToken, DeviceTokens } from './deviceTokens.js';
import { TOKEN_FILE, TokenFile } from './tokenFile.js';
import { TokenUse } from './tokenUse.js';

/** Where the tokens of a host are. */
export interface TokenSource {
  readonly owner: {
    /** Where it is, for messages. */
    readonly path: string;
    readOrCreate(): Promise<string>;
    read(): Promise<string | undefined>;
  };
  readonly devices: { list(): Promise<readonly DeviceToken[]> };
  /** When each token was last used, by its id. */
  readonly use: {
    used(id: string): void;
    /** Removes tokens that no longer exist. */
    keepOnly(ids: ReadonlySet<string>): void;
    /** Writes pending changes. */
    dispose(): Promise<void>;
  };
  /** Calls `changed` when they may have changed. */
  watch(changed: (what: 'owner' | 'devices') => void): { close(): void };
}

/** The tokens in a state root. `agenthost token` changes the files. */
export async function openTokenFolder(stateRoot: string, log: HostLog): Promise<TokenSource> {
  return {
    owner: new TokenFile(stateRoot),
    devices: new DeviceTokens(stateRoot),
    use: await TokenUse.open(stateRoot, (error) => log.error('when tokens were used could not be noted', error)),
    watch: (changed) => {
      const watcher = watch(stateRoot, (_event, file) => {
        if (file === TOKEN_FILE) changed('owner');
        else if (file === DEVICE_TOKENS_FILE) changed('devices');
      });
      watcher.unref();
      return watcher.on('error', (error) => log.error('the tokens could not be watched', error));
    },
  };
}
