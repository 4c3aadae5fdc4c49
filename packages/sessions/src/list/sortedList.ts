/**
 * A list that is kept in order, one item at a time: a change costs some comparisons, however long the list is.
 * `compare` never gives 0 for two different items.
 */
export class SortedList<T> {
  readonly #compare: (a: T, b: T) => number;
  #items: T[] = [];

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare;
  }

  get length(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  at(index: number): T | undefined {
    return this.#items[index];
  }

  /** All of them; a copy. */
  toArray(): T[] {
    return [...this.#items];
  }

  /** Many at once, sorted together: for the beginning. */
  replaceAll(items: readonly T[]): void {
    this.#items = items.toSorted(this.#compare);
  }

  insert(item: T): void {
    this.#items.splice(this.#placeOf(item), 0, item);
  }

  /** Before what it is ordered by changes: it is found by its order. */
  remove(item: T): boolean {
    const index = this.indexOf(item);
    if (index < 0) return false;
    this.#items.splice(index, 1);
    return true;
  }

  indexOf(item: T): number {
    const index = this.#placeOf(item);
    return this.#items[index] === item ? index : -1;
  }

  /** The first place whose item does not come before this one. */
  #placeOf(item: T): number {
    let [low, high] = [0, this.#items.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#items[middle] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
