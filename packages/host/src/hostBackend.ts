import { join } from 'node:path';
import type { KeyStore } from './api/keyStore.js';
import { AuditFolder } from './audit/auditFolder.js';
import type { AuditStore } from './audit/auditStore.js';
import type { Cluster } from './cluster/cluster.js';
import type { ClusterSessions } from './cluster/clusterSessions.js';
import type { ClusterSessionsOptions } from './cluster/clusterSessionsOptions.js';
import { TrustFile, type WorkspaceTrust } from './customizations/workspaceTrust.js';
import type { HostLog } from './hostLog.js';
import type { HostOptions } from './hostOptions.js';
import { PushNotifications } from './push/pushNotifications.js';
import { PushFile } from './push/pushStore.js';
import { DeviceTokens } from './server/access/deviceTokens.js';
import { openTokenFolder, type TokenSource } from './server/access/tokenSource.js';
import type { SessionIndex } from './sessionIndex/sessionIndex.js';
import { type MissingInIndex, openSessionIndex } from './sessions/indexing/openSessionIndex.js';
import { openSequence } from './sessions/openSequence.js';
import type { SequenceSource } from './state/publisher.js';
import { SESSION_STATE_FOLDER } from './storage/fs/sessionFolder.js';
import { LocalSessionStorage } from './storage/localSessionStorage.js';
import type { StoredLogOptions } from './storage/openStored.js';
import type { SessionStorage } from './storage/sessionStorage.js';
import type { StateRoot } from './storage/stateRoot/stateRoot.js';
import { WebhookFile } from './webhooks/webhookFile.js';
import { Webhooks } from './webhooks/webhooks.js';

/** Where a host keeps what it must not lose: a folder of its own, or a database. */
export interface HostBackend {
  readonly storage: SessionStorage;
  readonly index: SessionIndex;
  /** What the index may lack; `undefined` if nothing. */
  readonly missing: MissingInIndex | undefined;
  readonly sequence: SequenceSource & { dispose(): Promise<void> };
  readonly trust: WorkspaceTrust;
  /** For those who change them. */
  readonly deviceTokens: DeviceTokens;
  openTokens(): Promise<TokenSource>;
  readonly push: PushNotifications;
  readonly audit: AuditStore;
  readonly webhooks: Webhooks;
  /** The keys of requests to the API; loaded with the first of them. */
  apiKeys(): Promise<KeyStore>;
  /** The other hosts on the same database. */
  readonly cluster?: Cluster;
  /** Made here, so that a host without a database loads nothing of it. */
  clusterSessions?(options: Omit<ClusterSessionsOptions, 'cluster' | 'hostId'>): ClusterSessions;
  /** The host begins to close. What can't be stored soon is given up. */
  closing?(): void;
  close(): Promise<void>;
}

export interface HostBackendOptions {
  readonly stateRoot: StateRoot;
  readonly logs: StoredLogOptions;
  readonly defaultDirectory: string;
  readonly tempRoot: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: HostLog;
  /** The index was damaged and is empty now. */
  readonly onIndexReplaced: () => void;
}

/** The database, if there is one; else the state root. */
export async function openBackend(options: HostBackendOptions, wanted: HostOptions): Promise<HostBackend> {
  const { database, ...others } = wanted;
  if (database === undefined) return openFolder(options, wanted);
  // Loaded only now: a host without a database needs no driver.
  const { openDatabase } = await import('./databaseBackend.js');
  return openDatabase(options, { ...others, database });
}

/** Everything in the state root; `storage` replaces its session folders. */
async function openFolder(
  options: HostBackendOptions,
  { storage, push: pushOptions, webhooks: webhookOptions }: Pick<HostOptions, 'storage' | 'push' | 'webhooks'>,
): Promise<HostBackend> {
  const { stateRoot, logs, defaultDirectory, tempRoot, log, onIndexReplaced } = options;
  const inStateRoot = () =>
    new LocalSessionStorage({
      stateRoot: stateRoot.path,
      listSessionIds: () => stateRoot.listSessionIds(),
      initialCwd: defaultDirectory,
      tempRoot,
      ...logs,
    });
  const sessions = storage ?? inStateRoot();
  const { index, missing } = await openSessionIndex(
    join(stateRoot.path, 'index.sqlite'),
    log,
    onIndexReplaced,
    storage ? undefined : join(stateRoot.path, SESSION_STATE_FOLDER),
  );
  const sequence = await openSequence(stateRoot.path, sessions, log).catch((error: unknown) => {
    index.close();
    throw error;
  });
  const push = new PushNotifications({ store: new PushFile(stateRoot.path), log, ...pushOptions });
  const webhooks = await Webhooks.open({ store: new WebhookFile(stateRoot.path, log), log, ...webhookOptions });
  return {
    storage: sessions,
    index,
    missing,
    sequence,
    trust: new TrustFile(stateRoot.path, log),
    deviceTokens: new DeviceTokens(stateRoot.path),
    openTokens: () => openTokenFolder(stateRoot.path, log),
    push,
    audit: new AuditFolder(stateRoot.path),
    webhooks,
    apiKeys: async () => new (await import('./api/keyFile.js')).KeyFile(stateRoot.path),
    close: async () => {
      push.dispose();
      index.close();
      await sequence.dispose();
    },
  };
}
