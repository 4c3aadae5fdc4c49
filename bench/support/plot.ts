import type { Series } from './figure.ts';

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [520, 300, 64, 48, 40, 24];

/** A cost over a size, both in powers of ten, as an SVG that is readable on light and on dark ground. */
export function plotOf({ measure, name, x, y, points, exponent }: Series): string {
  const [xs, ys] = [decades(points.map(([value]) => value)), decades(points.map(([, value]) => value))];
  const atX = (value: number) => LEFT + at(xs, value) * (WIDTH - LEFT - RIGHT);
  const atY = (value: number) => HEIGHT - BOTTOM - at(ys, value) * (HEIGHT - TOP - BOTTOM);
  const marks = points.map(([px, py]) => `<circle cx="${round(atX(px))}" cy="${round(atY(py))}" r="4"/>`);
  const line = points.map(([px, py]) => `${round(atX(px))},${round(atY(py))}`).join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escaped(`${name} over ${x}: exponent ${exponent}`)}" font-family="system-ui, sans-serif" font-size="12" fill="#777">`,
    `<text x="${LEFT}" y="20" font-size="14">${escaped(`${measure}: ${name} (exponent ${exponent})`)}</text>`,
    ...xs.map((value) => {
      const px = round(atX(value));
      return `<path d="M${px} ${TOP}V${HEIGHT - BOTTOM}" stroke="#777" stroke-opacity=".3"/><text x="${px}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${label(value)}</text>`;
    }),
    ...ys.map((value) => {
      const py = round(atY(value));
      return `<path d="M${LEFT} ${py}H${WIDTH - RIGHT}" stroke="#777" stroke-opacity=".3"/><text x="${LEFT - 8}" y="${py + 4}" text-anchor="end">${label(value)}</text>`;
    }),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(x)}</text>`,
    `<text x="14" y="${(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" transform="rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})">${escaped(y)}</text>`,
    `<polyline points="${line}" fill="none" stroke="#3b82f6" stroke-width="2"/>`,
    `<g fill="#3b82f6">${marks.join('')}</g>`,
    '</svg>',
    '',
  ].join('\n');
}

/** The powers of ten around the values, at least two. */
function decades(values: readonly number[]): number[] {
  const exponents = values.filter((value) => value > 0).map(Math.log10);
  const from = exponents.length > 0 ? Math.floor(Math.min(...exponents)) : 0;
  const to = Math.max(Math.ceil(Math.max(from, ...exponents)), from + 1);
  return Array.from({ length: to - from + 1 }, (_, n) => 10 ** (from + n));
}

function at(scale: readonly number[], value: number): number {
  const [from, to] = [Math.log10(scale[0] ?? 1), Math.log10(scale.at(-1) ?? 10)];
  return (Math.log10(Math.max(value, scale[0] ?? 1)) - from) / (to - from);
}

function label(value: number): string {
  return value >= 1 ? value.toLocaleString('en') : String(Number(value.toPrecision(1)));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
