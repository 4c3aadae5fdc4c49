import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalSessionFs } from '../../../packages/host/src/storage/fs/localSessionFs.js';
import { SessionFsFailure } from '../../../packages/host/src/storage/fs/sessionFs.js';
import { LocalSessionStorage } from '../../../packages/host/src/storage/localSessionStorage.js';
import { JsonlEventLog } from '../../../packages/host/src/storage/log/jsonlEventLog.js';
import type { StoredSession } from '../../../packages/host/src/storage/sessionStorage.js';
import { FaultySessionFs } from '../../../packages/host/test/storage/faultySessionFs.js';
import { startTestHost, temporaryFolder } from '../../support/testHost.js';
import type { FaultPlan } from './faultPlan.js';
import type { World } from './world.js';

/** The folders of a state root, whose n-th operation fails. */
export class FaultyLocalStorage extends LocalSessionStorage {
  readonly #stateRoot: string;
  readonly #plan: FaultPlan;

  constructor(stateRoot: string, plan: FaultPlan) {
    super({
      stateRoot,
      listSessionIds: () => list(stateRoot),
      durability: 'write',
      initialCwd: stateRoot,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      onDamage: () => {},
    });
    this.#stateRoot = stateRoot;
    this.#plan = plan;
  }

  override async open(sessionId: string, { create = false, isDraft = false } = {}): Promise<StoredSession | undefined> {
    if (!create && !(await this.exists(sessionId))) return undefined;
    this.#check('open', sessionId);
    const inner = await LocalSessionFs.open({ stateRoot: this.#stateRoot, sessionId, create });
    const fs = new FaultySessionFs(inner, (_, call) => this.#plan.next(call));
    try {
      return { fs, log: await JsonlEventLog.open({ fs, isDraft, retryMs: 20 }) };
    } catch (error) {
      await fs.dispose();
      throw error;
    }
  }

  override async exists(sessionId: string): Promise<boolean> {
    this.#check('exists', sessionId);
    return super.exists(sessionId);
  }

  override async remove(sessionId: string): Promise<void> {
    this.#check('remove', sessionId);
    await super.remove(sessionId);
  }

  #check(operation: string, path: string): void {
    try {
      this.#plan.check({ operation, path });
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      throw new SessionFsFailure(code, message);
    }
  }
}

async function* list(stateRoot: string): AsyncGenerator<string> {
  yield* await readdir(join(stateRoot, 'session-state')).catch(() => []);
}

/** Sessions on the local disk. */
export async function faultyLocal(plan: FaultPlan): Promise<World> {
  const stateDir = await temporaryFolder();
  return {
    async start() {
      const host = await startTestHost({ stateDir, storage: new FaultyLocalStorage(stateDir, plan) });
      return {
        connect: (options) => host.connect(options),
        stop: () => host.dispose(),
      };
    },
    sessionIds: async () => (await readdir(join(stateDir, 'session-state')).catch(() => [])).sort(),
    dispose: () => rm(stateDir, { recursive: true, force: true }),
  };
}
