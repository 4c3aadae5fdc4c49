import { describe, expect, it } from 'vitest';
import { type Page, pages } from './pages.js';

const MAX_LINE = 120;
const MAX_CELL = 200;
/** Earlier entries of the changelog stay as they were written. */
const PAGES = pages().filter(({ path }) => path !== 'CHANGELOG.md');
const DECISIONS = PAGES.filter(({ path }) => /^docs\/adr\/\d{4}-/.test(path));

function faultsOf({ prose }: Page): string[] {
  return prose.split('\n').flatMap((line) => {
    if (line.startsWith('|')) return line.split(/(?<!\\)\|/).filter((cell) => shown(cell).length > MAX_CELL);
    return line.length > MAX_LINE && line.trim().includes(' ') && !line.trimStart().startsWith('<') && !isOneLink(line)
      ? [line]
      : [];
  });
}

/** The text of a cell without the addresses of its links and pictures; a list of code names, as in an import table, is no text. */
function shown(cell: string): string {
  if (/^(?:\s*`[^`]+`,?)+\s*$/.test(cell)) return '';
  return cell
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/<[^>]*>/g, '')
    .trim();
}

function isOneLink(line: string): boolean {
  return /^\s*(?:[-*] )?!?\[[^\]]*\]\([^)]*\)[.,;]?$/.test(line);
}

describe('layout of the pages', () => {
  it.each(PAGES.map((page) => [page.path, page] as const))('%s has short lines and short table cells', (_, page) => {
    expect(faultsOf(page)).toEqual([]);
  });

  it('finds a long line and a long cell', () => {
    const words = 'word '.repeat(50);
    const prose = `${words}\n| a | ${words} |\n| a | b |\nshort`;
    expect(faultsOf({ path: 'x.md', text: prose, prose })).toHaveLength(2);
  });
});

describe('decisions', () => {
  it.each(DECISIONS.map((page) => [page.path, page] as const))('%s has one decision', (path, { prose }) => {
    expect(prose.match(/^# (\d+)\. \S/m)?.[1]).toBe(String(Number(path.slice('docs/adr/'.length).slice(0, 4))));
    expect(prose.match(/^## Decision$/gm)).toHaveLength(1);
  });

  it('are all in docs/adr/README.md', () => {
    const index = PAGES.find(({ path }) => path === 'docs/adr/README.md')?.prose ?? '';
    const missing = DECISIONS.filter(({ path }) => !index.includes(`(${path.slice('docs/adr/'.length)})`));
    expect(
      missing.map(({ path }) => path),
      'add a line to docs/adr/README.md',
    ).toEqual([]);
  });
});
