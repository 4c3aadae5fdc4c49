import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { apiOf, apiPackages, apiReport } from '../../scripts/apiReport.js';
import { ROOT } from './workspace.js';

/** For this repository: their README says that they may change in any version. */
const INTERNAL = /\/(?:internal|maintenance)$/;

describe.each(apiPackages())('the API of %s', (workspace) => {
  const report = `etc/${basename(workspace)}.api.md`;

  it('is what its report says; write the report with `npm run api` and review the difference', () => {
    expect(readFileSync(join(ROOT, report), 'utf8')).toBe(apiReport(workspace));
  });

  it('has a doc comment with an example on every public class and function', () => {
    const entries = apiOf(workspace).filter(({ specifier }) => !INTERNAL.test(specifier));
    const lacking = entries.flatMap(({ specifier, names }) =>
      names
        .filter(({ kind, text }) => (kind === 'class' && !isError(text)) || kind === 'function')
        .filter(({ doc }) => !/^[A-Z`\d][\s\S]*^@example\n```ts\n/m.test(doc))
        .map(({ name }) => `${specifier} ${name}`),
    );
    expect(lacking).toEqual([]);
  });

  it('says in index.ts what is public', () => {
    const source = readFileSync(join(ROOT, workspace, 'src/index.ts'), 'utf8');
    expect(source).toMatch(new RegExp(`^/\\*\\*[\\s\\S]*public API[\\s\\S]*\`${report}\`[\\s\\S]*?\\*/\\n`));
  });
});

it('there is no report of a package that is gone', () => {
  const reports = globSync('etc/*.api.md', { cwd: ROOT }).map((path) => basename(path, '.api.md'));
  expect(reports.sort()).toEqual(apiPackages().map((workspace) => basename(workspace)));
});

/** Users catch errors and do not make them: what they are for is said, and that is all. */
function isError(text: string): boolean {
  return /\bclass \w+ extends \w*(?:Error|Failure)\b/.test(text);
}
