/** Keys that change what an object is instead of what it holds. Refused as keys on the wire, so never used as ids. */
const UNSAFE_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export function isSafeKey(key: string): boolean {
  return !UNSAFE_KEYS.has(key);
}

/** The own value of a key: an id like `toString` must not find what every object inherits. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
