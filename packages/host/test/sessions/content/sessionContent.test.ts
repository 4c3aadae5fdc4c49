import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SessionContent } from '../../../src/sessions/content/sessionContent.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';

const MIB = 1024 * 1024;

/** A backend as a client is one: it reads whole files only, and answers when it is told to. */
function setUp({ isHeld = false } = {}) {
  const fs = new MemorySessionFs({ sessionId: 's1' });
  // biome-ignore lint/suspicious/noExplicitAny: a method that the backend does not have
  (fs as any).readRange = undefined;
  const held: (() => void)[] = [];
  const sizes: number[] = [];
  const failing = { error: undefined as Error | undefined };
  const append = fs.appendFile.bind(fs);
  fs.appendFile = async (path, bytes) => {
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    if (failing.error) throw failing.error;
    sizes.push(bytes.length);
    await append(path, bytes);
  };
  const errors: unknown[] = [];
  const content = new SessionContent({
    fs,
    provider: 'mock',
    sessionId: 's1',
    onError: (error) => errors.push(error) > 0,
  });
  return { fs, content, held, sizes, errors, failing };
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('content of a session', () => {
  it('is read by range while it grows, also when the backend only reads whole files', async () => {
    const { content, fs } = setUp();
    const text = randomBytes(5 * MIB).toString('hex');
    for (let at = 0; at < text.length; at += 60_000) content.append('output-1.txt', text.slice(at, at + 60_000));
    expect((await content.read('output-1.txt', { offset: 7, length: 50 })).data).toBe(text.slice(7, 57));
    await content.settled();
    for (const offset of [0, 4 * MIB - 10, 8 * MIB - 1, 10 * MIB - 20, 10 * MIB, 11 * MIB]) {
      const { data, size } = await content.read('output-1.txt', { offset, length: 30 });
      expect([data, size]).toEqual([text.slice(offset, offset + 30), 10 * MIB]);
    }
    const names = await fs.readdir(fs.join(fs.sessionStatePath ?? '', 'files'));
    for (const name of names) {
      const { size } = await fs.stat(fs.join(fs.sessionStatePath ?? '', 'files', name));
      expect(size).toBeLessThanOrEqual(4 * MIB);
    }
    const again = new SessionContent({ fs, provider: 'mock', sessionId: 's1', onError: () => true });
    again.append('output-1.txt', 'more');
    await again.settled();
    expect((await again.read('output-1.txt', { offset: 10 * MIB - 1, length: 10 })).data).toBe(`${text.at(-1)}more`);
  });

  it('may end exactly at the end of a file', async () => {
    const { content } = setUp();
    content.append('output-1.txt', 'x'.repeat(8 * MIB));
    expect((await content.read('output-1.txt', { offset: 8 * MIB - 2, length: 10 })).data).toBe('xx');
    await content.store('pasted-1.txt', Buffer.alloc(4 * MIB, 'y'));
    expect(await content.sizeOf('pasted-1.txt')).toBe(4 * MIB);
    await content.store('pasted-2.bin', Buffer.alloc(9 * MIB, 255));
    expect(Buffer.from(await content.readAll('pasted-2.bin')).equals(Buffer.alloc(9 * MIB, 255))).toBe(true);
  });

  it('uses few and bounded writes when the backend is slow, and reports how much waits', async () => {
    const { content, held, sizes } = setUp({ isHeld: true });
    for (let n = 0; n < 100; n++) content.append('output-1.txt', 'x'.repeat(20_000));
    expect(content.waitingBytes).toBe(2_000_000);
    let isSettled = false;
    void content.settled().then(() => {
      isSettled = true;
    });
    while (!isSettled) {
      held.shift()?.();
      await tick();
    }
    expect(content.waitingBytes).toBe(0);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(2_000_000);
    expect(sizes.length).toBeLessThan(10);
    expect(Math.max(...sizes)).toBeLessThan(600_000);
  });

  it('reports a failure, and never has a hole', async () => {
    const { content, errors, failing } = setUp();
    content.append('output-1.txt', 'a');
    await content.settled();
    failing.error = new Error('disk full');
    content.append('output-1.txt', 'b');
    await content.settled();
    failing.error = undefined;
    content.append('output-1.txt', 'c');
    content.append('output-2.txt', 'd');
    await content.settled();
    expect(errors).toEqual([new Error('disk full')]);
    expect((await content.read('output-1.txt')).data).toBe('a');
    expect((await content.read('output-2.txt')).data).toBe('d');
    expect(content.waitingBytes).toBe(0);
  });

  it('has the type of its name, and never one that a browser would run', async () => {
    const { content } = setUp();
    const types = ['a.txt', 'a.png', 'a.html', 'a.svg', 'a'].map((id) => content.ref(id)?.mimeType);
    const bytes = 'application/octet-stream';
    expect(types).toEqual(['text/plain; charset=utf-8', 'image/png', bytes, bytes, bytes]);
  });
});
