import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { commandOf } from '../../bench/support/commandLine.ts';
import { worseFigures, worseTwice } from '../../bench/support/compare.ts';
import { atLeast, atMost, type Figure, missedBy, type Outcome } from '../../bench/support/figure.ts';
import { figureOf, quantile } from '../../bench/support/figures.ts';
import { exponentOf, seriesOf } from '../../bench/support/growth.ts';
import { plotOf } from '../../bench/support/plot.ts';
import { merged, type Run } from '../../bench/support/results.ts';
import { textTable, verdict } from '../../bench/support/table.ts';
import { withFigures } from '../../bench/support/writeDocs.ts';

const about = { measure: 'm', name: 'n', unit: 'ms', better: 'lower', baseline: 'raw' } as const;
const figure = (ratio: number, more: Partial<Figure> = {}): Figure => ({
  ...figureOf(about, [ratio], [1]),
  ...more,
});

describe('a figure', () => {
  it('is the median of rounds, each beside its own baseline', () => {
    expect(figureOf(about, [10, 40, 21], [10, 20, 7])).toEqual({
      ...about,
      value: 21,
      spread: 1.43,
      baseline: { name: 'raw', value: 10 },
      ratio: 2,
    });
    expect([quantile([3, 1, 2], 0.5), quantile([1, 2, 3], 0.99), quantile([], 0.5)]).toEqual([2, 3, 0]);
  });

  it('reaches its limit or says by how much it is missed', () => {
    const verdicts = [
      figure(1.2, { limit: atMost(1.2) }),
      figure(1.5, { limit: atMost(1.2) }),
      figure(0.9, { limit: atLeast(1) }),
      figure(3, { limit: atMost(2, 'value') }),
      figure(Number.NaN, { limit: atMost(2) }),
      figure(9),
    ].map(verdict);
    expect(verdicts).toEqual(['reached', 'missed by 25 %', 'missed by 10 %', 'missed by 50 %', 'missed by 100 %', '']);
    expect(missedBy(figure(1, { limit: atLeast(1) }))).toBe(0);
  });
});

describe('growth', () => {
  it.each([
    ['flat', 0, (_: number) => 7],
    ['linear', 1, (x: number) => 3 * x],
    ['a square', 2, (x: number) => x * x],
    ['a root', 0.5, (x: number) => Math.sqrt(x)],
  ])('that is %s has that exponent', (_, exponent, of) => {
    expect(exponentOf([1, 10, 100, 1_000].map((x) => [x, of(x)]))).toBeCloseTo(exponent, 6);
  });

  it('of one point is no growth', () => {
    expect(exponentOf([[1, 1]])).toBeNaN();
  });
});

describe('a comparison', () => {
  it('flags only what is worse by more than a fifth, in either direction', () => {
    const before = [figure(1, { name: 'a' }), figure(1, { name: 'b', better: 'higher' }), figure(1, { name: 'gone' })];
    const now = (a: number, b: number) => [
      figure(a, { name: 'a' }),
      figure(b, { name: 'b', better: 'higher' }),
      figure(99, { name: 'new' }),
    ];
    const names = (a: number, b: number) => worseFigures(before, now(a, b)).map(({ figure: { name } }) => name);
    expect([names(1.2, 0.84), names(1.21, 1), names(1, 0.83), names(0.1, 10), names(Number.NaN, 1)]).toEqual([
      [],
      ['a'],
      ['b'],
      [],
      ['a'],
    ]);
  });

  it('counts only what is worse twice', () => {
    const [a, b] = [figure(2, { name: 'a' }), figure(2, { name: 'b' })].map((one) => ({
      figure: one,
      before: 1,
      by: 1,
    }));
    if (!a || !b) throw new Error('there are two');
    expect(worseTwice([a, b], [b])).toEqual([b]);
    expect(worseTwice([a], [b])).toEqual([]);
  });
});

const series = seriesOf({
  measure: 'm',
  name: 'cost <&>',
  x: 'things',
  y: 'ms',
  points: [
    [1, 2],
    [10, 2],
  ],
  atMost: 0.1,
});
const run: Run = { date: '2026-01-02T03:04:05Z', machine: 'one', load: [1, 2], figures: [figure(2)], series: [series] };

describe('the output', () => {
  it('keeps the results of other measures', () => {
    const other = figure(3, { measure: 'other' });
    const now: Run = { ...run, figures: [figure(1)] };
    expect(merged({ ...run, figures: [figure(2), other] }, now, ['m']).figures).toEqual([other, figure(1)]);
  });

  it('is a table with one line per figure and series', () => {
    const outcome: Outcome = { figures: [figure(2, { limit: atMost(1) })], series: [series] };
    const lines = textTable(outcome).split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[2]).toMatch(/^m: n +2 ms +1 ms \(raw\) +2 +0 % +≤ 1 +missed by 100 %$/);
    expect(lines[6]).toMatch(/reached$/);
  });

  it('is written only between the marks of the page', () => {
    const [begin, end] = ['<!-- figures: npm run bench -- --docs -->', '<!-- /figures -->'];
    const page = withFigures(`before\n${begin}\nold\n${end}\nafter`, run);
    expect(page).toMatch(/^before\n[\s\S]*\nafter$/);
    expect(page).not.toContain('old');
    expect(withFigures(page, run)).toBe(page);
    expect(() => withFigures('no marks', run)).toThrow(/has no/);
  });

  it('is a plot with all points inside', () => {
    const plot = plotOf(series);
    expect(plot).toContain('cost &lt;&amp;>');
    const points = [...plot.matchAll(/cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [Number(x), Number(y)]);
    expect(points).toHaveLength(2);
    for (const [x = -1, y = -1] of points) expect(x > 0 && x < 520 && y > 0 && y < 300).toBe(true);
  });
});

describe('the command', () => {
  it('takes names and flags, and reports invalid ones', () => {
    expect(commandOf(['echo', '--quick', 'echo'])).toMatchObject({ names: ['echo'], quick: true, compare: false });
    expect(commandOf([])).toMatchObject({ names: expect.arrayContaining(['fanout', 'page']) });
    expect(commandOf(['--help'])).toMatchObject({ exitCode: 0, text: expect.stringContaining('--compare') });
    expect(commandOf(['nothing'])).toMatchObject({ exitCode: 2, text: expect.stringContaining("'nothing'") });
    expect(commandOf(['--fast'])).toMatchObject({ exitCode: 2, text: expect.stringContaining("'--fast'") });
    expect(commandOf(['--minutes', 'ten'])).toMatchObject({ exitCode: 2 });
  });

  it('measures a real host beside its baseline', { timeout: 240_000 }, async () => {
    const program = join(import.meta.dirname, '../../bench/measures/storm.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--quick', '--json']);
    const { figures, series: grown } = JSON.parse(stdout) as Outcome;
    expect(figures.map(({ ratio }) => ratio > 0)).toEqual([true, true]);
    expect(grown[0]?.points).toHaveLength(2);
  });
});
