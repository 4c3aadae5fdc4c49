import { expect, it } from 'vitest';
import { SessionQuota } from '../../src/api/mcp/sessionQuota.js';

it('bounds how many sessions a token starts in an hour, not those of others', () => {
  let now = 0;
  const quota = new SessionQuota(() => now);
  for (let n = 0; n < 60; n++) {
    quota.begin('a');
    now += 1_000;
  }
  expect(() => quota.begin('a')).toThrow('60 sessions within an hour');
  quota.begin('b');
  now = 60 * 60 * 1_000 + 1;
  quota.begin('a');
  expect(() => quota.begin('a')).toThrow('60 sessions');
  for (let n = 0; n < 20_000; n++) quota.begin(`token ${n}`);
  now += 60 * 60 * 1_000;
  for (let n = 0; n < 60; n++) quota.begin('a');
});
