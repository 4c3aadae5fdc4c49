import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, sourceFiles, workspaces } from './workspace.js';

const MAX_LINES = 400;
const MAX_FILES = 25;
/** Version 1 of the protocol is never edited, so nobody has to find something in it. */
const FROZEN = 'packages/protocol/src/version/frozen/';

const files = workspaces().flatMap((workspace) => sourceFiles(workspace).filter((file) => !file.startsWith(FROZEN)));

describe('the size of', () => {
  it(`a source file is at most ${MAX_LINES} lines`, () => {
    const long = files
      .map((file) => ({ file, lines: readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  it(`a folder is at most ${MAX_FILES} source files`, () => {
    const folders = Map.groupBy(files, (file) => dirname(file));
    expect(folders.size).toBeGreaterThan(50);
    expect([...folders].filter(([, inside]) => inside.length > MAX_FILES).map(([folder]) => folder)).toEqual([]);
  });
});
