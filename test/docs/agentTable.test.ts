import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { agentTable, withAgentTable } from '../../scripts/agentTable.js';
import { AGENTS, CAPABILITIES, OUTCOMES_FILE, readOutcomes, recordCapability } from '../agents/support/capabilities.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/agents.md'), 'utf8');

describe('the table of agents in docs/agents.md', () => {
  it('is what the tests of real agents have recorded; else run npm run agent-table', () => {
    expect(page).toBe(withAgentTable(page, readOutcomes()));
  });

  it('has only agents and capabilities that exist, with yes or no', () => {
    const outcomes = JSON.parse(readFileSync(OUTCOMES_FILE, 'utf8')) as Record<string, Record<string, string>>;
    for (const [agent, own] of Object.entries(outcomes)) {
      expect(Object.keys(AGENTS)).toContain(agent);
      for (const [capability, value] of Object.entries(own)) {
        expect(Object.keys(CAPABILITIES)).toContain(capability);
        expect(value).toMatch(/^(yes|no)(: [^|\n]{1,60})?$/);
      }
    }
  });

  it('is checked, and not written, in CI', () => {
    vi.stubEnv('CI', 'true');
    const before = readFileSync(OUTCOMES_FILE, 'utf8');
    expect(() => recordCapability('claude', 'asks', 'no', 'a test')).toThrow('this run says "no: a test"');
    expect(readFileSync(OUTCOMES_FILE, 'utf8')).toBe(before);
    vi.unstubAllEnvs();
  });

  it('says what was not tried', () => {
    const rows = agentTable({ codex: { fork: 'yes: by text', asks: 'no' } }).split('\n');
    expect(rows.find((row) => row.includes(CAPABILITIES.fork))).toContain('| not tried | yes: by text | not tried |');
    expect(rows.find((row) => row.includes(CAPABILITIES.asks))).toContain('| not offered |');
    expect(rows).toHaveLength(Object.keys(CAPABILITIES).length + 2);
  });
});
