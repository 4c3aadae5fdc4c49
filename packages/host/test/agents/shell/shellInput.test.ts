import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ToolInput } from '../../../src/agents/agent.js';
import { ShellAgent } from '../../../src/agents/shell/shellAgent.js';
import { openSession } from '../support/sessions.js';

/** A session whose commands run without a question, with a keyboard. */
async function keyboard(shell = '/bin/bash') {
  const opened = await openSession(new ShellAgent({ shell }));
  const { session, recorder } = opened;
  let toolCallId = '';
  session.onEvent((event) => {
    if (event.type !== 'toolStart') return;
    toolCallId = event.toolCall.toolCallId;
    if (event.toolCall.status === 'pendingConfirmation')
      session.answer(toolCallId, { approved: true, optionId: 'always' });
  });
  return {
    ...opened,
    begin: async (command: string) => {
      recorder.events.length = 0;
      await session.send({ text: command });
    },
    press: (kind: ToolInput['kind'], text?: string) =>
      session.input?.(toolCallId, { kind, ...(text !== undefined && { text }) }),
    /** Waits until the command has printed something. */
    printed: async (text: string) => {
      await recorder.until(text, () => recorder.output().includes(text));
    },
    ended: async () => {
      await recorder.end();
      return { output: recorder.output(), exitCode: recorder.of('toolComplete')[0]?.result.exitCode };
    },
  };
}

describe.each(['/bin/bash', '/bin/sh'])('input for a command of %s', (shell) => {
  it('is read line by line, and a line is seen as it is typed', async () => {
    const { begin, press, printed, ended } = await keyboard(shell);
    await begin('printf "name? "; read x; echo "hello $x"');
    await printed('name? ');
    expect(press('line', 'Ada Lovelace')).toBeUndefined();
    expect(await ended()).toEqual({ output: 'name? Ada Lovelace\r\nhello Ada Lovelace\r\n', exitCode: 0 });
  });

  it('ends with Ctrl+D', async () => {
    const { begin, press, printed, ended } = await keyboard(shell);
    await begin('echo ready; cat; echo done');
    await printed('ready');
    expect(press('line', 'ä\nb')).toBeUndefined();
    expect(press('endOfInput')).toBeUndefined();
    expect((await ended()).output).toBe('ready\r\nä\r\nb\r\nä\r\nb\r\ndone\r\n');
  });

  it('interrupts what runs in the foreground, and the session goes on', async () => {
    const { begin, press, printed, ended } = await keyboard(shell);
    await begin('cd /; sh -c "echo ready; exec sleep 1000"');
    await printed('ready');
    expect(press('interrupt')).toBeUndefined();
    expect((await ended()).exitCode).toBe(130);
    await begin('pwd');
    expect((await ended()).output).toBe('/\r\n');
  });

  it('interrupts a loop of the shell', async () => {
    const { begin, press, printed, ended } = await keyboard(shell);
    await begin('echo ready; while :; do sleep 0.01; done');
    await printed('ready');
    // A shell between two of its commands may miss one, as in any terminal.
    const pressing = setInterval(() => press('interrupt'), 50);
    const { exitCode } = await ended().finally(() => clearInterval(pressing));
    expect(exitCode).toBe(130);
  });

  it('leaves jobs in the background alone', async () => {
    const { begin, press, printed, ended } = await keyboard(shell);
    await begin('sleep 1000 & echo $! >job; sh -c "echo ready; exec sleep 1000"');
    await printed('ready');
    press('interrupt');
    await ended();
    await begin('kill $(cat job) && echo alive');
    expect((await ended()).output).toBe('alive\r\n');
  });
});

describe('input for a command', () => {
  it('is not echoed while the program asks for a password', async () => {
    const { begin, press, printed, ended } = await keyboard();
    await begin('stty -echo; printf "password: "; read x; stty echo; echo; printf %s "$x" | wc -c');
    await printed('password: ');
    press('line', 'hunter2');
    expect((await ended()).output).toBe('password: \r\n7\r\n');
  });

  it('reaches programs that take single keys', async () => {
    const { begin, press, printed, ended } = await keyboard();
    await begin(`python3 -c 'print("got", input("python? "))'`);
    await printed('python? ');
    press('line', 'yes');
    expect((await ended()).output).toContain('got yes');
  });

  it('counts when it comes before the terminal is there', async () => {
    const { begin, press, session, ended } = await keyboard();
    const early = new Promise<void>((resolve) => {
      session.onEvent((event) => {
        if (event.type !== 'toolStart') return;
        press('line', 'early');
        resolve();
      });
    });
    await begin('read x; echo "<$x>"');
    await early;
    expect((await ended()).output).toContain('<early>');
  });

  it('is refused when the program reads none of it, and Ctrl+C still ends it', async () => {
    const { begin, press, printed, ended } = await keyboard();
    await begin('echo ready; exec sleep 1000');
    await printed('ready');
    const line = 'x'.repeat(1_000);
    let taken = 0;
    while (press('line', line) === undefined) {
      taken++;
      if (taken % 20 === 0) await delay(1);
      if (taken > 1_000) break;
    }
    expect(taken).toBeGreaterThan(50);
    expect(taken).toBeLessThan(300);
    expect(press('interrupt')).toBeUndefined();
    expect((await ended()).exitCode).toBe(130);
  });

  it('is refused when a line is too long for a terminal, or its call does not run', async () => {
    const { begin, press, printed, ended, session } = await keyboard();
    expect(session.input?.('none', { kind: 'line', text: 'x' })).toBe('callNotRunning');
    await begin('echo ready; read x; printf %s "$x" | wc -c');
    await printed('ready');
    expect(session.input?.('none', { kind: 'line', text: 'x' })).toBe('callNotRunning');
    expect(press('line', 'ä'.repeat(2_048))).toBe('inputTooLong');
    expect(press('line', 'x'.repeat(4_000))).toBeUndefined();
    expect((await ended()).output).toMatch(/\r\n4000\r\n$/);
    expect(press('line', 'late')).toBe('callNotRunning');
  });
});
