interface Cursor {
  readonly container: object;
  /** Undefined for an array. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  next: number;
}

/**
 * What makes parsed JSON unsafe to hand on, or undefined: nesting over `maxDepth` containers (the root is the first), or a
 * key that can reach a prototype. Iterative, and holds no more than `maxDepth` cursors whatever comes in.
 */
export function structureViolation(root: object, maxDepth: number): string | undefined {
  let cursor = cursorOf(root);
  if (typeof cursor === 'string') return cursor;
  const stack: Cursor[] = [];
  for (;;) {
    if (cursor.next === cursor.length) {
      const parent = stack.pop();
      if (parent === undefined) return undefined;
      cursor = parent;
      continue;
    }
    const value = childAt(cursor, cursor.next++);
    if (typeof value !== 'object' || value === null) continue;
    if (stack.length + 1 >= maxDepth) return `the message is nested deeper than ${maxDepth} levels`;
    const child = cursorOf(value);
    if (typeof child === 'string') return child;
    stack.push(cursor);
    cursor = child;
  }
}

function childAt(cursor: Cursor, index: number): unknown {
  if (cursor.keys === undefined) return (cursor.container as readonly unknown[])[index];
  return (cursor.container as Record<string, unknown>)[cursor.keys[index] as string];
}

function cursorOf(container: object): Cursor | string {
  if (Array.isArray(container)) return { container, keys: undefined, length: container.length, next: 0 };
  const keys = Object.keys(container);
  for (const key of keys) {
    if (key === '__proto__' || key === 'constructor' || key === 'prototype') return `the key "${key}" is not allowed`;
  }
  return { container, keys, length: keys.length, next: 0 };
}
