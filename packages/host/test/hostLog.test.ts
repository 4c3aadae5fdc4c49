import { describe, expect, it } from 'vitest';
import { consoleLog } from '../src/hostLog.js';

describe('the log on a console', () => {
  function logTo(isTTY: boolean) {
    let written = '';
    const write = (text: string | Uint8Array) => {
      written += String(text);
      return true;
    };
    const log = consoleLog({ output: { isTTY, write } as Pick<NodeJS.WriteStream, 'isTTY' | 'write'> });
    const tell = (done: number) => log.progress?.({ message: 'Indexing', done, total: 1_000 });
    return { log, tell, text: () => written.replaceAll(/\d{4}-\S+Z/g, '<time>') };
  }

  it('on a terminal overwrites progress, and writes lines above it', () => {
    const { log, tell, text } = logTo(true);
    tell(1);
    tell(2);
    log.warn('look out');
    tell(1_000);
    log.info('done');
    const clear = '\r\u001b[2K';
    expect(text()).toBe(
      `${clear}Indexing: 1 of 1000${clear}Indexing: 2 of 1000` +
        `${clear}<time> warn look out\nIndexing: 2 of 1000${clear}<time> info done\n`,
    );
  });

  it('elsewhere writes a few lines of progress', () => {
    const { tell, text } = logTo(false);
    for (let done = 1; done <= 1_000; done++) tell(done);
    expect(text().split('\n').slice(0, -1)).toEqual(
      Array.from({ length: 9 }, (_, n) => `<time> info Indexing: ${(n + 1) * 100} of 1000`),
    );
  });
});
