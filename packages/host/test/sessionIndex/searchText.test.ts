import { describe, expect, it } from 'vitest';
import { searchText } from '../../src/sessionIndex/searchText.js';
import { toolCall, turn } from './indexSamples.js';

describe('the searchable text of a turn', () => {
  it('has messages, answers and tools, but no reasoning', () => {
    const text = searchText(
      turn('t', 'asked', {
        responseParts: [
          { kind: 'reasoning', id: 'r', content: 'thought' },
          { kind: 'markdown', id: 'm', content: 'answered' },
          { kind: 'toolCall', toolCallId: 'c' },
          { kind: 'steering', id: 's', userMessage: { text: 'steered' } },
          { kind: 'notice', id: 'n', text: 'noticed', severity: 'info' },
        ],
        toolCalls: [
          toolCall({
            invocationMessage: 'running',
            toolInput: 'make all',
            output: { text: 'live' },
            result: {
              success: false,
              pastTenseMessage: 'ran',
              toolOutput: 'whole',
              content: [
                { type: 'text', text: 'whole' },
                { type: 'text', text: 'more' },
              ],
              error: { message: 'failed' },
            },
          }),
          toolCall({ output: { text: 'once' }, result: { success: true, pastTenseMessage: '', toolOutput: 'once' } }),
        ],
      }),
    );
    expect(text).toBe('asked\nanswered\nsteered\nnoticed\nrunning\nmake all\nlive\nwhole\nmore\nfailed\nonce');
  });

  it('includes cancelled and waiting calls', () => {
    const { result: _, ...call } = toolCall({ toolInput: 'rm -r .', output: { text: 'partly' } });
    const { output: __, ...base } = call;
    const text = searchText({
      ...turn('t', 'asked'),
      pendingPermissions: {},
      toolCalls: {
        a: { ...call, status: 'cancelled', cancelled: 'turnEnded' },
        b: { ...base, status: 'pendingConfirmation', confirmation: {} },
      },
    });
    expect(text).toBe('asked\nrm -r .\npartly\nrm -r .');
  });

  it('keeps head and tail of long text, so that neither messages nor tools hide the others', () => {
    const long = `first ${'x '.repeat(1_000_000)} last`;
    const text = searchText(turn('t', long, { toolCalls: [toolCall({ toolInput: long.replaceAll('st', 'sttool') })] }));
    expect(text.length).toBeLessThanOrEqual(65_600);
    for (const word of ['first', ' last', 'firsttool', 'lasttool']) expect(text).toContain(word);
  });

  it('drops colours and control characters, not the words between them, and is well formed', () => {
    expect(searchText(turn('t', '\u001b[31mred\u001b[0m a\0b\u0007c\td\ud800'))).toBe('red a b c\td\ufffd\n');
  });
});
