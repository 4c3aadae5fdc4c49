import type { Figure } from './figure.ts';

export const TOLERATED = 0.2;

export interface Worse {
  readonly figure: Figure;
  readonly before: number;
  /** As a part of what it was. */
  readonly by: number;
}

/** Figures whose ratio got worse by more than is tolerated. What is only in one of the runs can't be compared. */
export function worseFigures(before: readonly Figure[], now: readonly Figure[]): Worse[] {
  return now.flatMap((figure) => {
    const known = before.find(({ measure, name }) => measure === figure.measure && name === figure.name);
    if (!known) return [];
    const by = figure.better === 'lower' ? figure.ratio / known.ratio - 1 : known.ratio / figure.ratio - 1;
    // Written so that a figure that is not a number counts as worse.
    return by <= TOLERATED ? [] : [{ figure, before: known.ratio, by }];
  });
}

/** Those of the first run that are worse in the second as well: noise seldom strikes twice. */
export function worseTwice(first: readonly Worse[], second: readonly Worse[]): Worse[] {
  return second.filter(({ figure }) =>
    first.some((other) => other.figure.measure === figure.measure && other.figure.name === figure.name),
  );
}
