import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../architecture/workspace.js';

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
  /** Without what is in code blocks. */
  readonly prose: string;
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```/gm;

/** Every page that people read. */
export function pages(): Page[] {
  const found = globSync(['*.md', 'docs/**/*.md', '{packages,apps}/*/*.md', 'examples/*.md', 'test/*/*.md'], {
    cwd: ROOT,
  });
  return found.sort().map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return { path, text, prose: text.replace(FENCE, '') };
  });
}

export function blocks({ text }: Page, ...languages: readonly string[]): string[] {
  return [...text.matchAll(FENCE)]
    .filter(([, language = '']) => languages.includes(language))
    .map(([, , code = '']) => code);
}

/** As GitHub makes them of headings. */
export function anchors({ prose }: Page): Set<string> {
  const seen = new Map<string, number>();
  const found = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const again = seen.get(slug) ?? 0;
    seen.set(slug, again + 1);
    found.add(again === 0 ? slug : `${slug}-${again}`);
  }
  return found;
}
