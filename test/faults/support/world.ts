import type { CreateSessionFsHandler, HostClient, HostClientOptions } from '@agenthost/client';

/** Where a scripted session is kept, through every start of a host. */
export interface World {
  start(): Promise<RunningHost>;
  /** For worlds whose files a client keeps. */
  readonly createSessionFsHandler?: CreateSessionFsHandler;
  /** The sessions of which anything at all is kept. */
  sessionIds(): Promise<readonly string[]>;
  dispose(): Promise<void>;
}

export interface RunningHost {
  connect(options?: Partial<HostClientOptions>): Promise<HostClient>;
  stop(): Promise<void>;
}
