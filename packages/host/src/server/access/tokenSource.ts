import { watch } from 'node:fs';
import type { HostLog } from '../../hostLog.js';
import type { DeviceToken } from './deviceToken.js';
import { DEVICE_TOKENS_FILE, LINK_TOKENS_FILE, METRICS_TOKENS_FILE, SPACE_TOKENS_FILE } from './deviceTokenFiles.js';
import { DeviceTokens } from './deviceTokens.js';
import { type CodeStore, MemoryCodes } from './oneTimeCodes.js';
import type { PairingValue } from './pairings.js';
import { TOKEN_FILE, TokenFile } from './tokenFile.js';
import { TokenUse } from './tokenUse.js';

const TOKEN_FILES: readonly string[] = [DEVICE_TOKENS_FILE, SPACE_TOKENS_FILE, LINK_TOKENS_FILE, METRICS_TOKENS_FILE];

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
    all(): Promise<ReadonlyMap<string, number>>;
    /** Removes tokens that no longer exist. */
    keepOnly(ids: ReadonlySet<string>): void;
    /** Writes pending changes. */
    dispose(): Promise<void>;
  };
  /** For codes that pair devices. */
  readonly codes: CodeStore<PairingValue>;
  /** Calls `changed` when they may have changed. */
  watch(changed: (what: 'owner' | 'devices') => void): TokenWatcher;
}

export interface TokenWatcher {
  close(): void;
  /** They were read past it: the next look calls `changed` in any case, or one that was removed before that would be missed. */
  forget?(): void;
}

/** The tokens in a state root. `agenthost token` changes the files. */
export async function openTokenFolder(stateRoot: string, log: HostLog): Promise<TokenSource> {
  return {
    owner: new TokenFile(stateRoot),
    devices: new DeviceTokens(stateRoot),
    use: await TokenUse.open(stateRoot, (error) => log.error('when tokens were used could not be noted', error)),
    codes: new MemoryCodes(),
    watch: (changed) => {
      const watcher = watch(stateRoot, (_event, file) => {
        if (file === TOKEN_FILE) changed('owner');
        else if (file !== null && TOKEN_FILES.includes(file)) changed('devices');
      });
      watcher.unref();
      return watcher.on('error', (error) => log.error('the tokens could not be watched', error));
    },
  };
}
