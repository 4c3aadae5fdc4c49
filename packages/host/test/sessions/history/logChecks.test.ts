import { describe, expect, it } from 'vitest';
import { type LogCheck, LogChecks } from '../../../src/sessions/history/logChecks.js';

describe('the checks of logs', () => {
  /** A check that runs until it is released or cancelled. */
  function held(started: string[], name: string) {
    const gate = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const check: LogCheck = async ({ signal, pause }) => {
      started.push(name);
      begun.resolve();
      await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
      await pause();
      started.push(signal.aborted ? `${name} cancelled` : `${name} done`);
      ended.resolve();
      signal.throwIfAborted();
    };
    return { check, finish: gate.resolve, begun: begun.promise, ended: ended.promise };
  }

  it('run one at a time, in the order of opening', async () => {
    const seen: string[] = [];
    const checks = new LogChecks(() => undefined);
    const [a, b] = [held(seen, 'a'), held(seen, 'b')];
    checks.add('mock:/a', a.check);
    checks.add('mock:/b', b.check);
    await a.begun;
    expect(seen).toEqual(['a']);
    a.finish();
    await b.begun;
    b.finish();
    await b.ended;
    expect(seen).toEqual(['a', 'a done', 'b', 'b done']);
  });

  it('end with their session, running or waiting, and the next one begins', async () => {
    const seen: string[] = [];
    const errors: unknown[] = [];
    const checks = new LogChecks((_, error) => errors.push(error));
    const [a, b, c] = [held(seen, 'a'), held(seen, 'b'), held(seen, 'c')];
    checks.add('mock:/a', a.check);
    checks.add('mock:/b', b.check);
    checks.add('mock:/c', c.check);
    await a.begun;
    await checks.cancel('mock:/b');
    await checks.cancel('mock:/a');
    expect(seen).toEqual(['a', 'a cancelled']);
    await c.begun;
    c.finish();
    await c.ended;
    expect([seen, errors]).toEqual([['a', 'a cancelled', 'c', 'c done'], []]);
  });

  it('that fail are reported, and the next one begins', async () => {
    const failed = Promise.withResolvers<unknown>();
    const checks = new LogChecks((uri, error) => failed.resolve([uri, error]));
    const next = held([], 'next');
    checks.add('mock:/a', async () => {
      throw new Error('no disk');
    });
    checks.add('mock:/b', next.check);
    expect(await failed.promise).toEqual(['mock:/a', new Error('no disk')]);
    await next.begun;
    await checks.cancel('mock:/b');
  });
});
