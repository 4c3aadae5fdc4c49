import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/workspace.js';
import { anchors, type Page, pages } from './pages.js';

const all = new Map(pages().map((page) => [page.path, page]));

function linksOf({ prose }: Page): string[] {
  const markdown = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const html = [...prose.matchAll(/(?:src|srcset|href)="([^"\s]+)"/g)].map(([, target = '']) => target);
  return [...markdown, ...html].filter((target) => !/^(https?|mailto):/.test(target));
}

/** Why a link leads nowhere. */
function faultOf(page: Page, link: string): string | undefined {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? page.path : normalize(join(dirname(page.path), file)).replace(/\/$/, '');
  if (!existsSync(join(ROOT, target))) return `${link}: there is no ${target}`;
  if (anchor === undefined) return undefined;
  const read = all.get(target);
  if (!read) return `${link}: ${target} is no page with headings`;
  return anchors(read).has(anchor) ? undefined : `${link}: ${target} has no heading #${anchor}`;
}

describe('links of the pages', () => {
  it.each([...all.values()].map((page) => [page.path, page] as const))('%s', (_, page) => {
    expect(linksOf(page).flatMap((link) => faultOf(page, link) ?? [])).toEqual([]);
  });

  it('every page of docs is in its index', () => {
    const index = all.get('docs/README.md');
    expect(index).toBeDefined();
    const linked = linksOf(index as Page).map((link) => normalize(join('docs', link.split('#')[0] ?? '')));
    const written = [...all.keys()].filter((path) => /^docs\/[^/]+\.md$/.test(path) && path !== 'docs/README.md');
    expect(
      written.filter((path) => !linked.includes(path)),
      'add a row to docs/README.md',
    ).toEqual([]);
  });

  it('finds broken links', () => {
    const prose = '# Here\n[a](gone.md) [b](#here) [c](#there) [d](cli.md#nothing) [e](cli.md#exit-codes)';
    const page = { path: 'docs/README.md', text: '', prose };
    const real = all.get(page.path);
    all.set(page.path, page);
    expect(linksOf(page).map((link) => faultOf(page, link) === undefined)).toEqual([false, true, false, false, true]);
    if (real) all.set(page.path, real);
  });
});
