import { describe, expect, it } from 'vitest';
import { starterOf } from '../../../../src/agents/acp/turn/callInput.js';

describe('the call that started a sub-agent', () => {
  it('is in `_meta` or in an entry of it, under either name', () => {
    expect(starterOf({ parentToolCallId: 'a' })).toBe('a');
    expect(starterOf({ someAgent: { toolName: 'Bash', parentToolUseId: 'b' } })).toBe('b');
    expect(starterOf({ other: null, list: [1], someAgent: { parentToolCallId: 'c' } })).toBe('c');
  });

  it('is none in anything else', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`e${n}`, {}]));
    for (const meta of [
      undefined,
      {},
      { parentToolCallId: 7 },
      { agent: { parentToolUseId: '' } },
      { agent: { parentToolUseId: 'x'.repeat(5_000) } },
      { agent: { deeper: { parentToolUseId: 'a' } } },
      { ...many, late: { parentToolUseId: 'a' } },
    ]) {
      expect(starterOf(meta)).toBeUndefined();
    }
  });
});
