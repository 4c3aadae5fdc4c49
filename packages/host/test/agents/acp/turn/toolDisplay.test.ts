import { describe, expect, it } from 'vitest';
import {
  callDisplay,
  callResult,
  contentText,
  editsOf,
  exitCodeOf,
  liveOutput,
} from '../../../../src/agents/acp/turn/toolDisplay.js';
import { toolCallFields } from '../../../../src/agents/acp/updateSchemas.js';

const CWD = '/work/project';

/** As real agents sent it, ids and paths aside. */
function shown(call: object) {
  const fields = toolCallFields.parse({ toolCallId: 'a', ...call });
  const facts = { fields, edits: editsOf(fields, CWD), cwd: CWD };
  const output = contentText(fields) || undefined;
  return { ...callDisplay(facts), result: callResult(facts, { exitCode: exitCodeOf(fields), output, whole: [] }) };
}

describe('the display of a tool call', () => {
  it('of Claude Code', () => {
    const command = { name: 'Bash', kind: 'execute', title: 'rm -rf x', rawInput: { command: 'rm -rf x' } };
    expect(shown({ ...command, status: 'completed', _meta: { terminal_exit: { exit_code: 0 } } })).toMatchObject({
      displayName: 'Terminal',
      invocationMessage: 'Running `rm -rf x`',
      toolKind: 'terminal',
      toolInput: 'rm -rf x',
      result: { success: true, pastTenseMessage: 'Ran `rm -rf x` (exit 0)', exitCode: 0 },
    });
    const diff = { type: 'diff', path: `${CWD}/a/b.ts`, oldText: null, newText: 'x\n' };
    expect(
      shown({ name: 'Write', kind: 'edit', title: 'Write b.ts', content: [diff], status: 'completed' }),
    ).toMatchObject({
      displayName: 'Edit File',
      invocationMessage: 'Editing `a/b.ts`',
      language: 'diff',
      result: { pastTenseMessage: 'Edited `a/b.ts` (+1 −0)', content: [{ type: 'fileEdit', insertions: 1 }] },
    });
  });

  it('of an edit has the line numbers of the file, where that is known, although the agent reports a fragment', () => {
    const before = 'one\ntwo\nthree\nfour\nfive\nsix\n';
    const diff = { type: 'diff', path: `${CWD}/a.txt`, oldText: 'five', newText: 'cinque' };
    const fields = toolCallFields.parse({ toolCallId: 'a', kind: 'edit', content: [diff], status: 'completed' });
    const facts = { fields, edits: editsOf(fields, CWD), cwd: CWD };
    const result = (whole: Parameters<typeof callResult>[1]['whole']) =>
      callResult(facts, { exitCode: undefined, output: undefined, whole }).content;
    expect(result([{ before, after: before.replace('five', 'cinque') }])).toMatchObject([
      { insertions: 1, deletions: 1, diff: '@@ -2,5 +2,5 @@\n two\n three\n four\n-five\n+cinque\n six\n' },
    ]);
    expect(result([undefined])).toMatchObject([{ diff: '@@ -1,1 +1,1 @@\n-five\n+cinque\n' }]);
  });

  it('of Gemini CLI, which sends no input', () => {
    const content = [{ type: 'content', content: { type: 'text', text: '(a test)' } }];
    expect(shown({ kind: 'execute', title: 'ls -la', content, status: 'failed' })).toMatchObject({
      toolInput: 'ls -la',
      result: { success: false, pastTenseMessage: 'Ran `ls -la` (failed)', error: { message: '(a test)' } },
    });
  });

  it('of opencode, whose title is the name of a tool at first', () => {
    expect(shown({ kind: 'edit', title: 'write', locations: [], rawInput: {} })).toMatchObject({
      invocationMessage: 'Editing',
    });
    const rawOutput = { output: 'hi\n', metadata: { exit: 3 } };
    expect(shown({ kind: 'execute', title: 'x', rawOutput, status: 'completed' }).result).toMatchObject({
      success: false,
      exitCode: 3,
    });
  });

  it('of Copilot CLI', () => {
    const rawOutput = { contents: [{ type: 'shell_exit', exitCode: 2 }] };
    expect(shown({ kind: 'execute', rawInput: { command: 'x' }, rawOutput, status: 'completed' }).result.exitCode).toBe(
      2,
    );
  });

  it('of unknown tools', () => {
    expect(shown({ name: 'mcp__myServer__doThings', rawInput: { a: 1 } })).toMatchObject({
      displayName: 'Mcp My Server Do Things',
      invocationMessage: 'Using a tool',
      language: 'json',
      toolInput: '{\n  "a": 1\n}',
    });
    expect(shown({ kind: 'read', locations: [{ path: '/etc/hosts' }, { path: 'b' }] }).invocationMessage).toBe(
      'Reading `/etc/hosts` and 1 more',
    );
    expect(shown({ kind: 'execute', rawInput: { command: ['echo', '`x`'] } }).invocationMessage).toBe(
      'Running `` echo `x` ``',
    );
  });

  it('finds live output in all known fields, and removes the fence from other output', () => {
    expect([
      liveOutput({ terminal_output: { data: 'a' } }),
      liveOutput({ terminal_output_delta: { data: 'b' } }),
      liveOutput(null),
    ]).toEqual(['a', 'b', undefined]);
    const content = [{ type: 'content', content: { type: 'text', text: '```console\nhi\n```' } }];
    expect(contentText(toolCallFields.parse({ toolCallId: 'a', content }))).toBe('hi');
  });
});
