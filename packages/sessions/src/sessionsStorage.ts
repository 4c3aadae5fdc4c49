import { reportFailure } from '@agenthost/client/internal';

/** Where a user interface remembers small things, e.g. `localStorage`. */
export interface SessionsStorage {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/** Remembers until the process or page ends. */
export function memoryStorage(): SessionsStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

/** Reports a storage that is full or forbidden; the value is then not kept. */
export function readItem(storage: SessionsStorage, key: string): string | undefined {
  try {
    return storage.getItem(key) ?? undefined;
  } catch (error) {
    reportFailure(error);
    return undefined;
  }
}

export function writeItem(storage: SessionsStorage, key: string, value: string | undefined): void {
  try {
    if (value === undefined) storage.removeItem(key);
    else storage.setItem(key, value);
  } catch (error) {
    reportFailure(error);
  }
}
