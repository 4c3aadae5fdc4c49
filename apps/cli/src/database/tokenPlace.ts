import {
  type Database,
  DeviceTokens,
  findRunningHost,
  migrate,
  PgDeviceTokens,
  PgOwnerToken,
  TokenFile,
  TokenUse,
  withoutPassword,
} from '@agenthost/host/maintenance';

/** Where tokens are kept: a state folder, or a database. */
export interface TokenPlace {
  /** For messages. */
  readonly name: string;
  /** What is said of the link to a token where no address is known. */
  readonly linkHint: string;
  /** Whether the host that runs there has another token than the one that is kept. */
  hasGivenToken(): Promise<boolean>;
  readonly devices: DeviceTokens;
  readOwn(): Promise<string | undefined>;
  rotateOwn(): Promise<string>;
  lastUses(): Promise<ReadonlyMap<string, number>>;
}

export function folderTokens(stateDir: string, own: string | undefined): TokenPlace {
  return {
    name: stateDir,
    linkHint: 'No host runs here: its link is its address and #token= with this:',
    hasGivenToken: async () => (await findRunningHost(stateDir))?.hasGivenToken === true,
    devices: new DeviceTokens(stateDir),
    readOwn: async () => own,
    rotateOwn: () => new TokenFile(stateDir).rotate(),
    lastUses: () => TokenUse.read(stateDir),
  };
}

/** Makes the tables where there are none: a token may be made before the first host starts. */
export async function databaseTokens(database: Database, address: string): Promise<TokenPlace> {
  await migrate(database);
  const owner = new PgOwnerToken(database);
  const devices = new PgDeviceTokens(database);
  return {
    name: withoutPassword(address),
    linkHint: 'Its link is the address of the hosts and #token= with this:',
    hasGivenToken: async () => false,
    devices: new DeviceTokens(devices),
    readOwn: () => owner.read(),
    rotateOwn: () => owner.rotate(),
    lastUses: () => devices.lastUses(),
  };
}
