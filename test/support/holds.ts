import * as fc from 'fast-check';

/** `fc.assert` for synchronous properties, whose overloads the linter takes for a floating promise. */
export function holds<T>(property: fc.IRawProperty<T, false>, parameters?: fc.Parameters<T>): void {
  const outcome: unknown = fc.assert(property as fc.IProperty<T>, parameters);
  if (outcome !== undefined) throw new TypeError('an asynchronous property: await fc.assert instead');
}
