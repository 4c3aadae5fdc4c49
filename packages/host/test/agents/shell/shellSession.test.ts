import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EventRecorder } from '../../../contract/eventRecorder.js';
import type { AgentSession, Decision, OpenSessionOptions } from '../../../src/agents/agent.js';
import { ShellAgent } from '../../../src/agents/shell/shellAgent.js';
import { memorySessionFs } from '../support/memorySessionFs.js';
import { openSession } from '../support/sessions.js';

const always: Decision = { approved: true, optionId: 'always' };

/** Runs commands one after the other, approving all, and answers what the last one printed. */
function terminal({ session, recorder }: { session: AgentSession; recorder: EventRecorder }) {
  let turns = 0;
  session.onEvent((event) => {
    if (event.type === 'toolStart') session.answer(event.toolCall.toolCallId, always);
  });
  return async (command: string) => {
    recorder.events.length = 0;
    turns++;
    await session.send({ text: command });
    const end = await recorder.end();
    const result = recorder.of('toolComplete')[0]?.result;
    return { output: recorder.output(), result, exitCode: result?.exitCode, end: end.type, turns };
  };
}

async function open(change: Partial<OpenSessionOptions> & { shell?: string } = {}) {
  const { shell = '/bin/bash', ...options } = change;
  const opened = await openSession(new ShellAgent({ shell }), options);
  return { ...opened, run: terminal(opened) };
}

describe.each(['/bin/bash', '/bin/sh'])('a shell session with %s', (shell) => {
  it('keeps folder and environment from turn to turn', async () => {
    const { run, cwd } = await open({ shell });
    await run('mkdir -p "a b" && cd "a b"; export A="1\n2" B=x; unset HOME');
    expect((await run('pwd; echo "$A-$B-$HOME"')).output).toBe(`${cwd}/a b\r\n1\r\n2-x-\r\n`);
    await run('unset B; cd ..');
    expect((await run('pwd; echo "B=$B"; cd - >/dev/null; pwd')).output).toBe(`${cwd}\r\nB=\r\n${cwd}/a b\r\n`);
  });

  it.each([
    ['true', 0],
    ['false', 1],
    ['exit 3', 3],
    ['(exit 4)', 4],
    ['no-such-command-at-all', 127],
    ['kill -9 $$', 137],
    ['sh -c "exit 5"', 5],
    ['set -e; false; exit 9', 1],
    ['exec sh -c "exit 6"', 6],
    ['if then', 2],
    ['echo "unclosed', 2],
    ["trap 'echo bye' EXIT; exit 7", 7],
    ['set -u; set -x; exit 8', 8],
  ])('reports the exit code of %j', async (command, exitCode) => {
    const { run } = await open({ shell });
    const { result, end } = await run(command);
    expect([result?.exitCode, result?.success, end]).toEqual([exitCode, exitCode === 0, 'idle']);
    expect((await run('echo still here')).output).toBe('still here\r\n');
  });

  it.each([
    ['exit 3'],
    ['set -e; false'],
    ['set -xvu; true'],
    ['if then'],
    ["trap 'true' EXIT"],
    ['set -C -a -f'],
    ['pwd() { echo fake; }; printf() { echo fake; }; env() { echo fake; }'],
    ['PATH=/nowhere'],
    ['umask 777'],
    ['exec >/dev/null 2>&1'],
    ['readonly READ=1; exit 0'],
  ])('keeps the state after %j', async (command) => {
    const { run, cwd } = await open({ shell });
    await run(`mkdir d; cd d; export KEPT=yes\n${command}`);
    const { output } = await run('PATH=/bin:/usr/bin; pwd; echo $KEPT');
    expect(output).toBe(`${cwd}/d\r\nyes\r\n`);
  });

  it.each(['exec true', 'kill -9 $$'])(
    'keeps the state from before a command that can not save it: %s',
    async (command) => {
      const { run, cwd } = await open({ shell });
      await run('export KEPT=yes');
      await run(`cd /; ${command}`);
      expect((await run('pwd; echo $KEPT')).output).toBe(`${cwd}\r\nyes\r\n`);
    },
  );

  it('runs several lines as one script, including here-documents and functions', async () => {
    const { run } = await open({ shell });
    const { output } = await run(
      "f() {\n  cat <<'END'\n$not 'expanded'\nEND\n}\nf\r\nfor i in 1 2; do\n echo $i\ndone",
    );
    expect(output).toBe("$not 'expanded'\r\n1\r\n2\r\n");
  });

  it('adds nothing to the output', async () => {
    const { run } = await open({ shell });
    expect((await run('set -x; printf no-newline')).output).toMatch(/^\++ printf no-newline\r\nno-newline$/);
    expect((await run('echo "$0 $# $1"')).output).toBe(`${shell.slice(5)} 0 \r\n`);
  });
});

describe('what a command sees', () => {
  it('is a terminal', async () => {
    const { run } = await open();
    expect((await run('test -t 1 && test -t 2 && echo yes; stty size </dev/tty; echo $TERM')).output).toBe(
      'yes\r\n30 96\r\nxterm-256color\r\n',
    );
  });

  it("is the given environment, without the host's variables", async () => {
    process.env['HOST_SECRET'] = 'do-not-tell';
    try {
      const { run } = await open({ env: { PATH: '/usr/bin:/bin', GIVEN: 'x' } });
      const names = (await run('env')).output.match(/^\w+(?==)/gm)?.sort();
      expect(names).toEqual(
        ['GIT_PAGER', 'GIVEN', 'LANG', 'PAGER', 'PATH', 'PWD', 'SHLVL', 'TERM', 'TERM_SESSION_ID', '_'].sort(),
      );
    } finally {
      delete process.env['HOST_SECRET'];
    }
  });

  it('does not affect the host, whatever it is called', async () => {
    const { run } = await open();
    expect((await run('__proto__')).exitCode).toBe(127);
    await run('export __proto__=polluted constructor=x toString=y');
    expect((await run('echo $constructor $toString')).output).toBe('x y\r\n');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('output', () => {
  it('is streamed while the command runs', async () => {
    const { session, recorder, cwd } = await open();
    await session.send({ text: 'echo first; until [ -e go ]; do sleep 0.01; done; echo second' });
    await recorder.until('first output', () => recorder.output().includes('first'));
    expect(recorder.of('toolComplete')).toEqual([]);
    await writeFile(join(cwd, 'go'), '');
    await recorder.end();
    expect(recorder.output()).toBe('first\r\nsecond\r\n');
  });

  it('may be any text and any bytes', async () => {
    const { run } = await open();
    expect((await run("printf 'ä€😀\\033[31mred\\033[0m'")).output).toBe('ä€😀\u001b[31mred\u001b[0m');
    const { output, exitCode } = await run('head -c 100000 /dev/urandom');
    expect([output.length > 50_000, output.isWellFormed(), exitCode]).toEqual([true, true, 0]);
    const emoji = (await run('awk \'BEGIN { for (i = 0; i < 20000; i++) printf "😀" }\'')).output;
    expect(emoji === '😀'.repeat(20_000)).toBe(true);
  });

  it('is complete, in batches, and never gathered', async () => {
    const { session, recorder } = await openSession(new ShellAgent());
    let length = 0;
    let longest = 0;
    let lines = 0;
    const done = new Promise<void>((resolve) => {
      session.onEvent((event) => {
        if (event.type === 'toolStart') session.answer(event.toolCall.toolCallId, { approved: true });
        if (event.type === 'toolUpdate' && event.output) {
          length += event.output.length;
          longest = Math.max(longest, event.output.length);
          lines += event.output.split('\n').length - 1;
          recorder.events.length = 0;
        }
        if (event.type === 'idle') resolve();
      });
    });
    const before = process.memoryUsage().rss;
    let beats = 0;
    const heart = setInterval(() => beats++, 5);
    await session.send({
      text: 'yes 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef | head -c 5200000',
    });
    await done;
    clearInterval(heart);
    expect([lines, longest < 100_000, beats > 20]).toEqual([80_000, true, true]);
    expect(length).toBe(5_200_000 + lines);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });
});

describe('asking', () => {
  it('shows the command, and asks', async () => {
    const { session, recorder } = await openSession(new ShellAgent());
    await session.send({ text: 'echo `whoami`' });
    const { toolCall } = await recorder.nth('toolStart');
    expect(toolCall).toEqual({
      toolCallId: expect.any(String),
      toolName: 'shell',
      takesInput: true,
      displayName: 'Terminal',
      invocationMessage: 'Running `` echo `whoami` ``',
      toolKind: 'terminal',
      language: 'shellscript',
      toolInput: 'echo `whoami`',
      status: 'pendingConfirmation',
      confirmation: {
        title: 'Run this command?',
        editable: true,
        options: [
          { id: 'once', label: 'Allow once', kind: 'approve' },
          {
            id: 'always',
            label: 'Always allow in this session',
            kind: 'approve',
            covers: 'Every command in this session',
          },
          { id: 'deny', label: 'Deny', kind: 'deny' },
        ],
      },
    });
    session.answer(toolCall.toolCallId, { approved: true, optionId: 'deny' });
    await recorder.end();
    expect([recorder.text(), recorder.of('toolComplete')]).toEqual(['Not run.', []]);
  });

  it('does not ask again after "always", in this session only', async () => {
    const { run, recorder } = await open();
    expect((await run('echo 1')).output).toBe('1\r\n');
    await run('echo 2');
    expect(recorder.of('toolStart')[0]?.toolCall).toMatchObject({
      status: 'running',
      confirmed: { how: 'policy', optionId: 'always' },
    });
    const other = await openSession(new ShellAgent());
    await other.session.send({ text: 'echo 3' });
    expect((await other.recorder.nth('toolStart')).toolCall.status).toBe('pendingConfirmation');
  });

  it('runs the edited input, and reports it', async () => {
    const { session, recorder } = await openSession(new ShellAgent());
    await session.send({ text: 'rm -rf .' });
    const { toolCall } = await recorder.nth('toolStart');
    session.answer(toolCall.toolCallId, { approved: true, optionId: 'once', editedToolInput: 'ls -a' });
    await recorder.end();
    expect(recorder.of('toolUpdate')[0]?.invocationMessage).toBe('Running `ls -a`');
    expect(recorder.of('toolComplete')[0]?.result).toEqual({
      success: true,
      pastTenseMessage: 'Ran `ls -a` (exit 0)',
      exitCode: 0,
    });
  });

  it('refuses a command that cannot be run as it was shown', async () => {
    const { run } = await open();
    expect((await run('echo a\0; echo b')).result).toMatchObject({ success: false, error: { message: /NUL/ } });
    expect((await run(`echo ${'x'.repeat(130_000)}`)).result).toMatchObject({
      success: false,
      error: { message: /too long/ },
    });
    expect((await run(`echo ${'x'.repeat(100_000)}`)).exitCode).toBe(0);
  });

  it('says what to do with an empty message, and uses the first command as the title', async () => {
    const { session, recorder, run } = await open();
    await session.send({ text: '  \n ' });
    await recorder.end();
    expect(recorder.events.map(({ type }) => type)).toEqual(['text', 'idle']);
    await run(`echo one\n${'x'.repeat(200)}`);
    expect(recorder.of('title')).toEqual([{ type: 'title', title: `echo one ${'x'.repeat(50)}…` }]);
    await run('echo two');
    expect(recorder.of('title')).toEqual([]);
  });
});

describe('a resumed session', () => {
  it("continues in its folder, with its environment, over the host's current one", async () => {
    const sessionFs = memorySessionFs();
    const first = await open({ sessionFs, env: { PATH: '/usr/bin:/bin', TOKEN: 'old', OTHER: '1' } });
    await first.run('mkdir d; cd d; export A=1; unset OTHER');
    await first.session.dispose();
    const stored = new TextDecoder().decode(sessionFs.files.get('/state/shell-state.json'));
    expect(stored).not.toContain('old');
    const { run, recorder } = await open({
      sessionFs,
      cwd: first.cwd,
      resume: first.session.nativeSessionId ?? '',
      env: { PATH: '/usr/bin:/bin', TOKEN: 'new', OTHER: '1' },
    });
    expect((await run('pwd; echo "$A $TOKEN OTHER=$OTHER"')).output).toBe(`${first.cwd}/d\r\n1 new OTHER=\r\n`);
    expect([first.session.nativeSessionId, recorder.of('title')]).toEqual(['s1', []]);
  });

  it('starts fresh without `resume`', async () => {
    const sessionFs = memorySessionFs();
    await (await open({ sessionFs })).run('export A=1');
    expect((await (await open({ sessionFs })).run('echo "A=$A"')).output).toBe('A=\r\n');
  });

  it.each([
    ['not JSON', '{'],
    ['null', 'null'],
    ['a relative folder', '{"sessionId":"s1","terminalId":"t","cwd":"x","changes":{"set":[],"unset":[]}}'],
    ['a bad variable', '{"sessionId":"s1","terminalId":"t","cwd":"/","changes":{"set":[["A=B","1"]],"unset":[]}}'],
  ])('starts fresh with a notice when the stored state is %s', async (_, content) => {
    const sessionFs = memorySessionFs(new Map([['/state/shell-state.json', Buffer.from(content)]]));
    const { run, recorder, cwd } = await open({ sessionFs, resume: 's1' });
    expect((await run('pwd')).output).toBe(`${cwd}\r\n`);
    expect(recorder.of('notice')).toMatchObject([{ severity: 'warning', text: /could not be restored/ }]);
  });

  it('works without a place to store its state, and reports a failed write', async () => {
    const without = await open({ sessionFs: { ...memorySessionFs(), sessionStatePath: undefined } });
    await without.run('export A=1');
    expect((await without.run('echo $A')).output).toBe('1\r\n');
    const failing = await open({
      sessionFs: { ...memorySessionFs(), writeFile: () => Promise.reject(new Error('disk full')) },
    });
    expect((await failing.run('export A=1')).end).toBe('idle');
    expect(failing.recorder.of('notice')).toMatchObject([{ text: /disk full/ }]);
    const hanging = await open({ sessionFs: { ...memorySessionFs(), writeFile: () => new Promise(() => {}) } });
    expect((await hanging.run('true')).end).toBe('idle');
  });
});

describe('a missing folder', () => {
  it('falls back to the project folder with a notice, and fails when that is missing too', async () => {
    const { run, recorder, cwd } = await open();
    await mkdir(join(cwd, 'd'));
    await run('cd d');
    await rm(join(cwd, 'd'), { recursive: true });
    expect((await run('pwd')).output).toBe(`${cwd}\r\n`);
    expect(recorder.of('notice')).toMatchObject([{ severity: 'warning', text: /does not exist any more; running in/ }]);
    await rm(cwd, { recursive: true });
    expect((await run('pwd')).end).toBe('error');
    expect(recorder.of('error')).toMatchObject([{ error: { message: /does not exist any more/ } }]);
  });
});

describe('output that is paused', () => {
  it('is complete', async () => {
    const { session, run } = await open();
    session.onEvent((event) => {
      if (event.type !== 'toolUpdate') return;
      session.pause?.();
      setTimeout(() => session.resume?.(), 2);
    });
    const { output } = await run("head -c 300000 /dev/zero | tr '\\0' x; echo; echo end");
    expect(output).toBe(`${'x'.repeat(300_000)}\r\nend\r\n`);
  });

  it('is complete when the command ends while it is paused', async () => {
    const { session, run } = await open();
    session.pause?.();
    const { output } = await run("head -c 3000 /dev/zero | tr '\\0' x; echo end");
    expect(output).toBe(`${'x'.repeat(3_000)}end\r\n`);
  });

  it('can be aborted', async () => {
    const { session, recorder } = await open();
    session.onEvent((event) => {
      if (event.type === 'toolStart') session.answer(event.toolCall.toolCallId, always);
    });
    await session.send({ text: 'yes' });
    await recorder.nth('toolUpdate');
    session.pause?.();
    await session.abort();
    expect((await recorder.end()).type).toBe('idle');
  });
});

describe('attachments', () => {
  it('are files for the command, removed afterwards, and not part of the saved state', async () => {
    const { session, recorder, cwd, run } = await open();
    session.onEvent((event) => {
      if (event.type === 'toolStart') session.answer(event.toolCall.toolCallId, always);
    });
    const image = Buffer.from([0, 255, 10, 13, 128]);
    await session.send({
      text: 'cat "$ATTACHMENT_1"; od -An -tx1 "$ATTACHMENT_2"; echo "$ATTACHMENT_3"; echo "$ATTACHMENT_1"',
      attachments: [
        { kind: 'text', label: 'a', data: 'pasted\n' },
        { kind: 'image', label: 'b', mimeType: 'image/png', data: image.toString('base64') },
        { kind: 'file', label: 'c', uri: `file://${cwd}/c%20d` },
        { kind: 'file', label: 'elsewhere', uri: 'https://example.org/' },
      ],
    });
    await recorder.end();
    const [text, bytes, file, path = ''] = recorder.output().split('\r\n');
    expect([text, bytes, file]).toEqual(['pasted', ' 00 ff 0a 0d 80', `${cwd}/c d`]);
    expect((await run(`ls "${path}"`)).exitCode).not.toBe(0);
    expect((await run('echo "[$ATTACHMENT_1$ATTACHMENT_4]"')).output).toBe('[]\r\n');
  });
});
