import { EventEmitter, once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SessionFsFailure, type SessionStorage } from '@agenthost/host';
import { LocalSessionStorage } from '../../../packages/host/src/storage/localSessionStorage.js';

/** In the message of each failure. */
export const HICCUP = 'a hiccup';

/** The folders of a state root, where sessions can be made unreadable for a while. */
export class FlakyStorage extends LocalSessionStorage implements SessionStorage {
  /** By session id: the error code that opening it fails with. */
  readonly failing: Map<string, string>;
  opened = 0;
  readonly #open = new Map<string, number>();
  readonly #events = new EventEmitter();

  constructor(stateRoot: string, failing = new Map<string, string>()) {
    super({
      stateRoot,
      listSessionIds: () => sessionIds(stateRoot),
      durability: 'write',
      initialCwd: stateRoot,
      now: Date.now,
      newId: () => crypto.randomUUID(),
      onDamage: () => {},
    });
    this.failing = failing;
  }

  override async open(...args: Parameters<LocalSessionStorage['open']>) {
    this.opened++;
    const code = this.failing.get(args[0]);
    if (code !== undefined) throw new SessionFsFailure(code, `${code}: ${HICCUP}`);
    const stored = await super.open(...args);
    if (!stored) return undefined;
    const [id] = args;
    this.#count(id, 1);
    const dispose = stored.fs.dispose.bind(stored.fs);
    let isOpen = true;
    stored.fs.dispose = async () => {
      await dispose();
      if (isOpen) this.#count(id, -1);
      isOpen = false;
    };
    return stored;
  }

  /** Resolves when the host has unloaded the session. */
  async unloaded(sessionId: string): Promise<void> {
    while (this.#open.has(sessionId)) await once(this.#events, sessionId, { signal: AbortSignal.timeout(10_000) });
  }

  #count(sessionId: string, change: number): void {
    const count = (this.#open.get(sessionId) ?? 0) + change;
    if (count > 0) this.#open.set(sessionId, count);
    else this.#open.delete(sessionId);
    this.#events.emit(sessionId);
  }
}

async function* sessionIds(stateRoot: string): AsyncGenerator<string> {
  yield* await readdir(join(stateRoot, 'session-state')).catch(() => []);
}
