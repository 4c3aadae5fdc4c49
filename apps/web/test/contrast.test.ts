import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

const CSS = readFileSync(join(import.meta.dirname, '../src/theme/tokens.css'), 'utf8');
const light = tokensOf(/:root\s*\{([^}]*)\}/);
const dark = new Map([...light, ...tokensOf(/\[data-theme="dark"\]\s*\{([^}]*)\}/)]);

const SURFACES = [
  ...['canvas', 'sunken', 'raised', 'well', 'fill', 'needs-soft', 'error-soft'],
  ...['add-bg', 'del-bg', 'add-word', 'del-word'],
];

/** Text, and every surface that it stands on. */
const TEXT: Readonly<Record<string, readonly string[]>> = {
  text: SURFACES,
  'text-2': [...SURFACES, 'select on sunken', 'hover on sunken'],
  'text-3': ['canvas', 'sunken', 'raised', 'well', 'fill', 'hover on canvas'],
  'on-ink': ['ink', 'ink-hover'],
  run: ['canvas', 'run-soft'],
  needs: ['canvas', 'sunken', 'raised', 'needs-soft', 'select on sunken'],
  error: ['canvas', 'sunken', 'error-soft', 'select on sunken'],
  done: ['canvas', 'sunken', 'done-soft'],
  'add-text': ['canvas', 'sunken', 'add-bg', 'add-word', 'select on sunken'],
  'del-text': ['canvas', 'sunken', 'del-bg', 'del-word', 'select on sunken'],
  ...Object.fromEntries(
    ['syn-k', 'syn-s', 'syn-f', 'syn-t'].map((name) => [
      name,
      ['canvas', 'well', 'add-bg', 'del-bg', 'add-word', 'del-word'],
    ]),
  ),
  'syn-c': ['canvas', 'well'],
  ...Object.fromEntries(['red', 'green', 'yellow', 'blue', 'cyan', 'dim'].map((name) => [`ansi-${name}`, ['well']])),
};

/** What is told by a shape: states, the focus, the mark inside a filled glyph. */
const GRAPHICS: Readonly<Record<string, readonly string[]>> = {
  run: ['canvas', 'sunken', 'select on sunken'],
  'needs-solid': ['canvas', 'sunken', 'needs-soft', 'select on sunken'],
  error: ['canvas', 'sunken', 'select on sunken'],
  done: ['canvas', 'sunken', 'select on sunken'],
  'text-3': ['canvas', 'sunken', 'select on sunken'],
  focus: ['canvas', 'sunken', 'raised'],
  'on-needs': ['needs-solid'],
  canvas: ['done'],
};

describe.each([
  ['light', light],
  ['dark', dark],
] as const)('the %s theme', (_, tokens) => {
  it.each(pairs(TEXT))('%s is readable on %s', (text, surface) => {
    expect(contrast(tokens, text, surface)).toBeGreaterThanOrEqual(4.5);
  });
  it.each(pairs(GRAPHICS))('%s is distinguishable on %s', (shape, surface) => {
    expect(contrast(tokens, shape, surface)).toBeGreaterThanOrEqual(3);
  });
});

function pairs(table: Readonly<Record<string, readonly string[]>>): (readonly [string, string])[] {
  return Object.entries(table).flatMap(([name, surfaces]) => surfaces.map((surface) => [name, surface] as const));
}

function tokensOf(block: RegExp): Map<string, Colour> {
  const found = new Map<string, Colour>();
  const body = block.exec(CSS)?.[1] ?? '';
  for (const [, name = '', value = ''] of body.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6}|rgb\([^)]*\))\s*;/g))
    found.set(name, parse(value));
  return found;
}

function parse(value: string): Colour {
  const hex = /^#(..)(..)(..)$/.exec(value);
  const [red = 0, green = 0, blue = 0] = hex
    ? hex.slice(1).map((pair) => Number.parseInt(pair, 16))
    : (value.match(/[\d.]+/g) ?? []).map(Number);
  return [red, green, blue, hex ? 1 : Number(value.match(/[\d.]+/g)?.[3] ?? 1)];
}

/** `a on b` is the half-transparent a over b. */
function surfaceOf(tokens: ReadonlyMap<string, Colour>, name: string): Colour {
  const [over = '', under] = name.split(' on ');
  const colour = tokens.get(over);
  if (!colour) throw new Error(`there is no token --${over}`);
  if (under === undefined) return colour;
  const below = surfaceOf(tokens, under);
  const mixed = (index: 0 | 1 | 2) => colour[index] * colour[3] + below[index] * (1 - colour[3]);
  return [mixed(0), mixed(1), mixed(2), 1];
}

/** WCAG 2's ratio of relative luminances. */
function contrast(tokens: ReadonlyMap<string, Colour>, a: string, b: string): number {
  const [lower, higher] = [a, b].map((name) => luminance(surfaceOf(tokens, name))).toSorted((x, y) => x - y);
  return ((higher ?? 0) + 0.05) / ((lower ?? 0) + 0.05);
}

function luminance([red, green, blue]: Colour): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
