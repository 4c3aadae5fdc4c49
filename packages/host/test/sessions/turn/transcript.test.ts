import type { CompletedToolCall, Turn } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { type TurnPages, writeTranscript } from '../../../src/sessions/turn/transcript.js';

const turn = (n: number, changes: Partial<Turn> = {}): Turn => ({
  id: `t${n}`,
  userMessage: { text: `message ${n}` },
  responseParts: [{ kind: 'markdown', id: 'm', content: `answer ${n}` }],
  toolCalls: [],
  state: 'complete',
  startedAt: n,
  endedAt: n,
  ...changes,
});

const call = (id: string, output: string): CompletedToolCall => ({
  toolCallId: id,
  toolName: 'bash',
  displayName: 'Bash',
  invocationMessage: `Running ${id}`,
  toolInput: `echo ${id}`,
  status: 'completed',
  confirmed: { how: 'notNeeded' },
  result: {
    success: id !== 'bad',
    pastTenseMessage: 'Ran it',
    toolOutput: output,
    content: [{ type: 'fileEdit', uri: 'file:///a.ts', insertions: 3, deletions: 1 }],
  },
  startedAt: 1,
  endedAt: 2,
});

/** As the history gives them: pages of three, the newest first. Counts what is read. */
function pagesOf(turns: readonly Turn[]): { readonly pages: TurnPages; readonly read: () => number } {
  let read = 0;
  const pages: TurnPages = async (before) => {
    read++;
    const end = before === undefined ? turns.length : turns.findIndex(({ id }) => id === before);
    return { turns: turns.slice(Math.max(end - 3, 0), end), hasMore: end > 3 };
  };
  return { pages, read: () => read };
}

describe('a transcript', () => {
  it('has all turns in their order', async () => {
    const { pages } = pagesOf(Array.from({ length: 8 }, (_, n) => turn(n)));
    const { text = '', turns, isWhole } = (await writeTranscript({ pages })) ?? {};
    expect([turns, isWhole]).toEqual([8, true]);
    expect([...text.matchAll(/message (\d)/g)].map(([, n]) => Number(n))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('is nothing where there is no turn', async () => {
    expect(await writeTranscript(pagesOf([]))).toBeUndefined();
  });

  it('leaves out the oldest turns that do not fit, says so, and does not read them', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => turn(n, { userMessage: { text: `${n} ${'x'.repeat(500)}` } }));
    const { pages, read } = pagesOf(many);
    const made = await writeTranscript({ pages, maxLength: 6_000 });
    expect(made?.isWhole).toBe(false);
    expect(made?.turns).toBeGreaterThan(5);
    expect(made?.text.length).toBeLessThan(6_500);
    expect(made?.text).toContain('Earlier turns are left out');
    expect(made?.text).toContain('999 xxx');
    expect(read()).toBeLessThan(6);
  });

  it('is bounded whatever one turn has', async () => {
    const long = 'y'.repeat(1_000_000);
    const calls = Array.from({ length: 5_000 }, (_, n) => call(`c${n}`, long));
    const huge = turn(0, {
      userMessage: { text: long },
      toolCalls: calls,
      responseParts: [
        { kind: 'markdown', id: 'm', content: long },
        ...calls.map(({ toolCallId }) => ({ kind: 'toolCall', toolCallId }) as const),
      ],
    });
    const made = await writeTranscript(pagesOf([huge]));
    expect(made?.text.length).toBeLessThan(100_000);
    expect(made?.text).toContain('4960 tool calls are left out');
  });

  it('tells how calls, files and turns ended', async () => {
    const bad = call('bad', 'no such file');
    const stopped = turn(1, {
      state: 'cancelled',
      toolCalls: [bad],
      responseParts: [
        { kind: 'reasoning', id: 'r', content: 'secret thoughts' },
        { kind: 'toolCall', toolCallId: 'bad' },
      ],
    });
    const failed = turn(2, { state: 'error', error: { errorType: 'x', message: 'the model was overloaded' } });
    const { text = '' } = (await writeTranscript({ ...pagesOf([stopped, failed]), plan: '- [ ] ship it' })) ?? {};
    expect(text).toContain('[Bash: echo bad] failed changed file:///a.ts (+3 -1)\nno such file');
    expect(text).toContain('The user stopped this turn');
    expect(text).toContain('the model was overloaded');
    expect(text).toContain('- [ ] ship it');
    expect(text).not.toContain('secret thoughts');
  });
});
