import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ShellAgent } from '../../../src/agents/shell/shellAgent.js';
import { memorySessionFs } from '../support/memorySessionFs.js';
import { isGone, pidsFrom, processesIn } from '../support/processes.js';
import { openSession } from '../support/sessions.js';

async function open(change = {}) {
  const opened = await openSession(new ShellAgent({ shell: '/bin/bash' }), change);
  const { session, recorder } = opened;
  session.onEvent((event) => {
    if (event.type === 'toolStart') session.answer(event.toolCall.toolCallId, { approved: true });
  });
  return {
    ...opened,
    /** Sends, and waits until the command says that it is under way. */
    start: async (command: string) => {
      await session.send({ text: command });
      await recorder.until('ready', () => /^ready/m.test(recorder.output()));
    },
  };
}

const ABORT_MS = 5_000;
const IGNORE = "trap '' INT TERM HUP";

describe('abort', () => {
  it('interrupts a command, keeps its effects, and leaves the session usable', async () => {
    const { session, recorder, start } = await open();
    await start('export A=1; echo ready; sleep 1000');
    await session.abort();
    expect(recorder.events.at(-1)).toEqual({ type: 'idle' });
    expect(recorder.of('toolComplete')[0]?.result).toEqual({
      success: false,
      pastTenseMessage: 'Cancelled `export A=1; echo ready; sleep 1000`',
      exitCode: 130,
      error: { message: 'The command was cancelled.', code: 'cancelled' },
    });
    await session.send({ text: 'echo "A is $A"' });
    await recorder.end(2);
    expect(recorder.output()).toContain('A is 1');
  });

  it.each([
    ['traps INT and TERM', `${IGNORE}; echo $$ >pids; echo ready; while :; do sleep 1; done`, 1],
    [
      'is a pipeline with grandchildren',
      `(${IGNORE}; sh -c 'echo $$ >>pids; sleep 1000; :' | (sh -c 'echo $$ >>pids; cat; :') & echo $! >>pids; sh -c 'echo $$ >>pids; echo ready; sleep 1000; :' | cat)`,
      4,
    ],
    ['leaves its group and its session', "setsid sh -c 'echo $$ >>pids; echo ready; sleep 1000; :' & wait", 1],
    ['clears its environment', "env -i PATH=$PATH setsid -w sh -c 'echo $$ >>pids; echo ready; sleep 1000; :'", 1],
    ['has lost its parents', "(setsid sh -c 'echo $$ >>pids; echo ready; sleep 1000; :' &); sleep 1000", 1],
    ['is stopped', "sh -c 'echo $$ >>pids; echo ready; kill -STOP $$' & wait", 1],
    ['reads the terminal', 'echo ready; echo $$ >>pids; cat </dev/tty', 1],
    ['floods', 'echo $$ >>pids; echo ready; yes', 1],
    ['forks and forks', 'echo $$ >>pids; echo ready; while :; do (sleep 1000 & ) ; sleep 0.01; done', 1],
  ])('ends a command that %s, with all its processes, within five seconds', async (_, command, pids) => {
    const { session, recorder, start, cwd } = await open();
    await start(command);
    const before = Date.now();
    await session.abort();
    const [took, started] = [Date.now() - before, await pidsFrom(join(cwd, 'pids'))];
    expect(recorder.events.at(-1)).toEqual({ type: 'idle' });
    expect([started.length, started.filter((pid) => !isGone(pid)), await processesIn(cwd)]).toEqual([pids, [], []]);
    expect(took).toBeLessThan(ABORT_MS);
  });

  it('does not end jobs of earlier commands', async () => {
    const { session, recorder, start, cwd } = await open();
    await start('sleep 1000 & echo $! >pids; echo ready');
    await recorder.end();
    const [job = 0] = await pidsFrom(join(cwd, 'pids'));
    recorder.events.length = 0;
    await start('echo ready; sleep 1000');
    await session.abort();
    expect(isGone(job)).toBe(false);
    await session.dispose();
    expect(isGone(job)).toBe(true);
  });
});

describe('a job in the background', () => {
  it.each([
    ['sleep 1000 & echo $! >pids; echo ready'],
    ['nohup sleep 1000 >/dev/null 2>&1 & echo $! >pids; echo ready'],
    [`(${IGNORE}; exec sleep 1000) & echo $! >pids; echo ready`],
    [
      "(setsid sh -c 'echo $$ >pids; sleep 1000; :' >/dev/null 2>&1 &); until [ -s pids ]; do sleep 0.01; done; echo ready",
    ],
  ])('does not hold the turn, keeps running, and ends with the session: %s', async (command) => {
    const { session, recorder, start, cwd } = await open();
    await start(command);
    expect((await recorder.end()).type).toBe('idle');
    const [job = 0] = await pidsFrom(join(cwd, 'pids'));
    expect(isGone(job)).toBe(false);
    await session.dispose();
    expect([isGone(job), await processesIn(cwd)]).toEqual([true, []]);
  });

  it('of a killed host ends with the session that resumes', async () => {
    const sessionFs = memorySessionFs();
    const dead = await open({ sessionFs });
    await dead.start('sleep 1000 & echo $! >pids; echo ready');
    await dead.recorder.end();
    const [job = 0] = await pidsFrom(join(dead.cwd, 'pids'));
    const forked = await open({ sessionFs, cwd: dead.cwd, sessionId: 's2', resume: 's1' });
    await forked.session.dispose();
    expect(isGone(job)).toBe(false);
    const resumed = await open({ sessionFs, cwd: dead.cwd, resume: 's1' });
    await resumed.session.dispose();
    expect(isGone(job)).toBe(true);
  });
});

describe('dispose', () => {
  it.each([
    ['a command that traps all it can', `${IGNORE}; echo $$ >>pids; echo ready; while :; do sleep 1; done`],
    ['a flood', 'echo $$ >>pids; echo ready; yes'],
  ])('ends %s', async (_, command) => {
    const { session, recorder, start, cwd } = await open();
    await start(command);
    const disposing = session.dispose();
    const before = recorder.events.length;
    await disposing;
    expect([(await pidsFrom(join(cwd, 'pids'))).every(isGone), await processesIn(cwd)]).toEqual([true, []]);
    expect(recorder.events.length).toBe(before);
  });
});
