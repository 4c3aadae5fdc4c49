import { useState } from 'react';

/** Beyond this many, the oldest choice is forgotten. */
const MOST_KEPT = 500;
const choices = new Map<string, unknown>();

/**
 * A state that survives its component: a virtualized list removes what is out of sight, and a turn that ends is rendered as another
 * component. What the user unfolded stays unfolded. Lasts until the page is closed.
 */
export function useKept<T>(key: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => (choices.has(key) ? (choices.get(key) as T) : initial));
  const keep = (next: T) => {
    choices.delete(key);
    choices.set(key, next);
    for (const oldest of choices.keys()) {
      if (choices.size <= MOST_KEPT) break;
      choices.delete(oldest);
    }
    setValue(next);
  };
  return [value, keep];
}
