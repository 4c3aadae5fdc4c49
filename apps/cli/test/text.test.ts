import type { ActiveTurn, SessionSummary, ToolCallState } from '@agenthost/protocol';
import { appendToolOutput } from '@agenthost/protocol/internal';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import { wrapText } from '../src/attach/lines/wrapText.js';
import { backspace, deleteWord, editOf, insert, move, NOTHING } from '../src/attach/textEdit.js';
import { composerRows } from '../src/attach/ui/Composer.js';
import { sessionTable } from '../src/output/sessionTable.js';
import { relativeTime } from '../src/text/relativeTime.js';
import { styleFor } from '../src/text/style.js';
import { fit, textWidth } from '../src/text/width.js';
import { toolLine } from '../src/turn/toolLine.js';
import { TurnReader } from '../src/turn/turnReader.js';

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom('a', ' ', '\n', '漢', '🎉', 'é'), fc.constant('word ')),
  maxLength: 60,
});

describe('width', () => {
  it.each([
    ['abc', 3],
    ['漢字', 4],
    ['🎉', 2],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
  ])('%s takes %d columns', (text, columns) => expect(textWidth(text)).toBe(columns));

  it('is that of string-width for every character that needs no table', () => {
    const differ = Array.from({ length: 0x3000 - 0x20 }, (_, k) => String.fromCodePoint(k + 0x20)).filter(
      (character) => /[^\p{Cc}]/u.test(character) && textWidth(character) !== stringWidth(character),
    );
    expect(differ).toEqual([]);
  });

  it('fits into the available columns', () => {
    holds(
      fc.property(anyText, fc.integer({ min: 1, max: 30 }), (text, columns) => {
        expect(textWidth(fit(text.replaceAll('\n', ' '), columns))).toBeLessThanOrEqual(columns);
      }),
    );
  });

  it('wraps into lines that fit, and loses only spaces', () => {
    holds(
      fc.property(anyText, fc.integer({ min: 2, max: 30 }), (text, columns) => {
        const lines = wrapText(text, columns);
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('times', () => {
  it.each([
    [0, '0s'],
    [59_999, '59s'],
    [60_000, '1m'],
    [3_600_000, '1h'],
    [86_400_000 * 3, '3d'],
    [86_400_000 * 10, '2001-08-30'],
  ])('%d ms ago is %s', (age, shown) => expect(relativeTime(1_000_000_000_000 - age, 1_000_000_000_000)).toBe(shown));
});

describe('an edited text', () => {
  it('inserts, moves over and removes whole characters', () => {
    const typed = insert(insert(NOTHING, 'one 🎉'), '\ntwo');
    expect(backspace(move(typed, 'lineStart'))).toEqual({ text: 'one 🎉two', cursor: 6 });
    expect(backspace(editOf('🎉'))).toEqual(NOTHING);
    expect(move(editOf('🎉'), 'left').cursor).toBe(0);
    expect(move(typed, 'up')).toEqual({ text: typed.text, cursor: 3 });
    expect(move(move(typed, 'up'), 'down').cursor).toBe(typed.text.length);
    expect(deleteWord(editOf('one two  ')).text).toBe('one ');
  });

  it('shows its cursor exactly once at any position', () => {
    holds(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n'), maxLength: 80 }), fc.nat(80), (text, at) => {
        const rows = composerRows({ text, cursor: Math.min(at, text.length) }, 13);
        expect(rows.filter(({ cursor }) => cursor !== undefined)).toHaveLength(1);
        expect(rows.length).toBeLessThanOrEqual(6);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the table of sessions', () => {
  it('is never wider than the terminal', () => {
    const style = styleFor({ isTTY: false });
    const summary: SessionSummary = {
      resource: 'mock:/0123456789abcdef',
      provider: 'mock',
      title: '漢字 and a very long title that goes on and on',
      createdAt: 1,
      modifiedAt: 1,
      status: 'inProgress',
      activity: 'Running a command that is long as well',
      isRead: false,
      isArchived: false,
      changes: [{ uri: 'file:///a', insertions: 12, deletions: 3 }],
    };
    for (let columns = 40; columns < 140; columns++) {
      const [row = ''] = sessionTable([summary], { columns, style, now: 2 });
      expect(textWidth(row)).toBeLessThanOrEqual(columns);
    }
    const twins = ['0123456789a', '0123456789b'].map((id) => ({ ...summary, resource: `mock:/${id}` }));
    expect(sessionTable(twins, { columns: 80, style, now: 2 }).map((row) => row.split(' ')[1])).toEqual([
      '0123456789a',
      '0123456789b',
    ]);
  });
});

it('says whose tool a call is, without what would change the screen', () => {
  const call: ToolCallState = {
    toolCallId: 'c1',
    toolName: 'ring',
    displayName: 'ring',
    invocationMessage: 'Using ring',
    clientName: 'Ada\u001b[2J',
    status: 'running',
    confirmed: { how: 'notNeeded' },
    startedAt: 1,
  };
  const { clientName: _, ...own } = call;
  const style = styleFor({ isTTY: false }, {});
  expect(toolLine(own, style)).toMatch(/Using ring$/);
  expect(toolLine(call, style)).toMatch(/Using ring \(tool of Ada.*\)$/);
  expect(toolLine(call, style)).not.toContain('\u001b');
});

describe('the reader of a turn', () => {
  const turnWith = (output: ToolCallState | undefined, text: string): ActiveTurn => ({
    id: 't1',
    userMessage: { text: 'go' },
    responseParts: [
      { kind: 'markdown', id: 'p1', content: text },
      { kind: 'toolCall', toolCallId: 'c1' },
    ],
    toolCalls: output ? { c1: output } : {},
    pendingPermissions: {},
    startedAt: 1,
  });
  const callWith = (output: ReturnType<typeof appendToolOutput> | undefined): ToolCallState => ({
    toolCallId: 'c1',
    toolName: 'x',
    displayName: 'X',
    invocationMessage: 'x',
    status: 'running',
    confirmed: { how: 'notNeeded' },
    startedAt: 1,
    ...(output && { output }),
  });

  it('reports all text once, in order, and how much output is missing', () => {
    const chunk = fc.integer({ min: 0, max: 12_000 }).map((length) => 'x'.repeat(length));
    holds(
      fc.property(
        fc.array(chunk, { maxLength: 8 }),
        fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
        (chunks, looks) => {
          const reader = new TurnReader();
          let output: ReturnType<typeof appendToolOutput> | undefined;
          let text = '';
          let told = '';
          let shown = 0;
          let omitted = 0;
          const look = () => {
            for (const event of reader.read(turnWith(callWith(output), text))) {
              if (event.type === 'text') told += event.text;
              if (event.type === 'toolOutput') shown += event.text.length;
              if (event.type === 'toolOutputOmitted') omitted += event.characters;
            }
          };
          for (const [at, piece] of chunks.entries()) {
            output = appendToolOutput(output, piece);
            text += piece.slice(0, 10);
            if (looks[at]) look();
          }
          look();
          expect(told).toBe(text);
          expect(shown + omitted).toBe(chunks.join('').length);
        },
      ),
      { numRuns: 500 },
    );
  });
});
