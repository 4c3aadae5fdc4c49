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
    return super.open(...args);
  }
}

async function* sessionIds(stateRoot: string): AsyncGenerator<string> {
  yield* await readdir(join(stateRoot, 'session-state')).catch(() => []);
}
