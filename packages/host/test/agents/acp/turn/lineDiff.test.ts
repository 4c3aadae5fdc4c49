import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../../../../test/support/holds.js';
import { lineDiff } from '../../../../src/agents/acp/turn/lineDiff.js';

describe('lineDiff', () => {
  it('shows added and removed lines, with three lines of context', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
    expect(lineDiff(before, before.replace('e', 'E\nE2'))).toEqual({
      insertions: 2,
      deletions: 1,
      text: '@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n+E2\n f\n g\n h\n',
    });
    expect(lineDiff('', 'a\n')).toEqual({ insertions: 1, deletions: 0, text: '@@ -0,0 +1,1 @@\n+a\n' });
    expect(lineDiff('a\n', '')).toEqual({ insertions: 0, deletions: 1, text: '@@ -1,1 +0,0 @@\n-a\n' });
    expect(lineDiff('a\n', 'a\n')).toEqual({ insertions: 0, deletions: 0, text: '' });
  });

  it('replaces everything when two texts are too long to compare', () => {
    const lines = (of: string) => Array.from({ length: 3_000 }, (_, line) => `${of}${line}\n`).join('');
    expect(lineDiff(lines('a'), lines('b'))).toMatchObject({ insertions: 3_000, deletions: 3_000 });
  });

  it('is a patch that patch applies', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agenthost-diff-'));
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 25 })
      .map((lines) => `${lines.join('\n')}\n`);
    try {
      holds(
        fc.property(text, text, (before, after) => {
          const { text: patch } = lineDiff(before, after);
          if (patch === '') return before === after;
          writeFileSync(join(folder, 'file'), before);
          writeFileSync(join(folder, 'patch'), `--- file\n+++ file\n${patch}`);
          execFileSync('git', ['apply', '--unidiff-zero', '--whitespace=nowarn', '-p0', 'patch'], {
            cwd: folder,
            stdio: 'pipe',
          });
          return execFileSync('cat', [join(folder, 'file')], { encoding: 'utf8' }) === after;
        }),
        { numRuns: 60 },
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
