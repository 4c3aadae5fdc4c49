import { COMMAND_SCHEMAS } from '@agenthost/protocol/schemas';
import { expect, it } from 'vitest';
import { FIRST_ISSUE } from '../src/describeIssues.js';

it('a list of 20,000 bad items has few issues, not one for each', () => {
  const params = { session: 'mock:/a', turns: [{ id: 't', responseParts: Array(20_000).fill({}) }] };
  const issues = (context?: object) =>
    COMMAND_SCHEMAS.importSession.params.safeParse(params, context).error?.issues.length;
  expect(issues()).toBeGreaterThanOrEqual(20_000);
  expect(issues(FIRST_ISSUE)).toBeLessThan(10);
});
