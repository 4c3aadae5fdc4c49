import { describe, expect, it } from 'vitest';
import { toolCallDisplay, toolResultDisplay } from '../../../src/agents/copilot/toolDisplay.js';

const shown = (name: string, args: unknown, title?: string) => {
  const { toolCallId: _, toolName: __, ...display } = toolCallDisplay('c1', name, args, title);
  return display;
};
const ended = (name: string, args: unknown, data: Partial<Parameters<typeof toolResultDisplay>[3]> = {}) =>
  toolResultDisplay(name, args, undefined, { toolCallId: 'c1', success: true, ...data });

describe('the display of a Copilot call', () => {
  it.each([
    ['bash', 'Bash', 'shellscript'],
    ['powershell', 'PowerShell', 'powershell'],
  ])('%s is a terminal', (name, displayName, language) => {
    expect(shown(name, { command: 'ls -l', description: 'look', timeout: 3 })).toEqual({
      displayName,
      invocationMessage: 'Running `ls -l`',
      toolKind: 'terminal',
      language,
      toolInput: 'ls -l',
    });
  });

  it.each([
    ['read_bash', 'Read Shell Output'],
    ['read_powershell', 'Read Shell Output'],
    ['write_bash', 'Write Shell Input'],
    ['write_powershell', 'Write Shell Input'],
    ['bash_shutdown', 'Stop Shell'],
    ['stop_bash', 'Stop Shell'],
    ['stop_powershell', 'Stop Shell'],
    ['list_bash', 'List Shells'],
    ['list_powershell', 'List Shells'],
    ['patch', 'Patch'],
    ['web_search', 'Web Search'],
    ['ask_user', 'Ask User'],
  ])('%s is %s, with a message', (name, displayName) => {
    const display = shown(name, {});
    expect(display).toEqual({ displayName, invocationMessage: expect.stringMatching(/^[A-Z]\w+ing /) });
  });

  it.each([
    ['view', 'View File', 'Reading'],
    ['edit', 'Edit File', 'Editing'],
    ['write', 'Write File', 'Writing'],
    ['create', 'Write File', 'Writing'],
  ])('%s is %s, of the file by its old and its new name', (name, displayName, doing) => {
    const expected = { displayName, invocationMessage: `${doing} \`/a/b.ts\``, toolInput: '/a/b.ts' };
    expect([shown(name, { path: '/a/b.ts' }), shown(name, { file_path: '/a/b.ts' })]).toEqual([expected, expected]);
  });

  it('searches name their text and place', () => {
    expect([
      shown('grep', { pattern: 'x`y', path: 'src', include: '*.ts' }),
      shown('glob', { pattern: '**/*.md' }),
    ]).toEqual([
      { displayName: 'Search', invocationMessage: 'Searching for `` x`y `` in `src`', toolInput: 'x`y' },
      { displayName: 'Find Files', invocationMessage: 'Looking for files like `**/*.md`', toolInput: '**/*.md' },
    ]);
  });

  it.each([
    ['github-mcp-server-get_file', undefined, 'Github mcp server get file'],
    ['doSomethingNew', undefined, 'Do something new'],
    ['x', 'A title of its own', 'A title of its own'],
    ['__proto__', undefined, 'Proto'],
    ['constructor', undefined, 'Constructor'],
    ['', undefined, 'Tool'],
  ])('an unknown tool, %j, has a name in words', (name, title, displayName) => {
    expect(shown(name, { a: 1 }, title)).toEqual({
      displayName,
      invocationMessage: `Using ${displayName}`,
      toolInput: '{\n  "a": 1\n}',
    });
  });

  it.each([null, undefined, 'text', 7, [], { command: 7, path: {}, pattern: null, description: [] }])(
    'survives any argument of a model: %j',
    (args) => {
      for (const name of ['bash', 'view', 'grep', 'glob', 'task', 'unknown']) {
        expect(shown(name, args).invocationMessage).toEqual(expect.any(String));
        expect(ended(name, args).pastTenseMessage).toEqual(expect.any(String));
      }
    },
  );
});

describe('the display of an ended call', () => {
  it("a command by its exit code, without Copilot's text for its model", () => {
    const result = { content: 'hi\nthere\n<shellId: 0 completed with exit code 3>', detailedContent: '' };
    expect(ended('bash', { command: 'x' }, { result, shellExecution: { exitCode: 3 } })).toEqual({
      success: false,
      pastTenseMessage: 'Ran `x` (exit 3)',
      toolOutput: 'hi\nthere',
      exitCode: 3,
    });
  });

  it('an edit by its diff', () => {
    const diff =
      '\ndiff --git a/p/f.txt b/p/f.txt\nindex 0000000..0000000 100644\n--- a/p/f.txt\n+++ b/p/f.txt\n@@ -1,2 +1,2 @@\n--- one\n+1\n+2\n \n';
    const result = ended('edit', { path: '/p/f.txt' }, { result: { content: 'done', detailedContent: diff } });
    expect(result).toMatchObject({
      success: true,
      pastTenseMessage: 'Edited `/p/f.txt`',
      content: [{ type: 'fileEdit', uri: 'file:///p/f.txt', insertions: 2, deletions: 1, diff: diff.trim() }],
    });
  });

  it('new, deleted and several files of one patch', () => {
    const diff = [
      'diff --git a/p/new b/p/new\ncreate file mode 100644\n--- a/dev/null\n+++ b/p/new\n@@ -1,0 +1,1 @@\n+x\n',
      'diff --git a/p/old b/p/old\ndeleted file mode 100644\n--- a/p/old\n+++ b/dev/null\n@@ -1,1 +1,0 @@\n-x\n',
    ].join('');
    const { content } = ended('patch', {}, { result: { content: 'done', detailedContent: diff } });
    expect(content).toMatchObject([
      { uri: 'file:///p/new', insertions: 1, deletions: 0 },
      { uri: 'file:///p/old', insertions: 0, deletions: 1 },
    ]);
  });

  it('a failure with its reason', () => {
    const error = { message: "Tool 'nonsense' does not exist.", code: 'failure' };
    expect(ended('nonsense', {}, { success: false, error })).toEqual({
      success: false,
      pastTenseMessage: 'Used Nonsense, which failed',
      error,
    });
  });
});
