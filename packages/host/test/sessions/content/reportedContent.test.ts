import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AgentContent } from '../../../src/agents/agent.js';
import { endingOfBytes } from '../../../src/sessions/content/contentType.js';
import { ReportedContent } from '../../../src/sessions/content/reportedContent.js';
import { SessionContent } from '../../../src/sessions/content/sessionContent.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { type SessionFs, SessionFsFailure } from '../../../src/storage/fs/sessionFs.js';

const LIMITS = { itemBytes: 1_000, turnItems: 3, turnBytes: 2_000, sessionItems: 5, sessionBytes: 3_000 };

function contentOf(fs: SessionFs, errors: unknown[] = []): SessionContent {
  return new SessionContent({
    fs,
    provider: 'mock',
    sessionId: 's1',
    onError: (error) => {
      errors.push(error);
      return true;
    },
  });
}

/** Different bytes for each number. */
const item = (n: number, size = 10): AgentContent => ({ data: Buffer.alloc(size, n + 1), mimeType: 'image/png' });

function outcomes(keep: ReturnType<ReportedContent['forTurn']>, contents: readonly AgentContent[]): string[] {
  return contents.map((content) => {
    const kept = keep(content);
    return 'ref' in kept ? `kept ${kept.ref.sizeHint}` : (kept.refused ?? 'nothing');
  });
}

describe('ReportedContent', () => {
  it('limits number and bytes per turn, and starts over with the next', () => {
    const reported = new ReportedContent(contentOf(new MemorySessionFs()), LIMITS);
    expect(outcomes(reported.forTurn(), [item(1), item(2), item(1), item(3), item(1)])).toEqual([
      'kept 10',
      'kept 10',
      'kept 10',
      'An image (image/png) was not kept: 3 images and files are kept of one turn. The rest of them is left out.',
      'nothing',
    ]);
    const small = new ReportedContent(contentOf(new MemorySessionFs()), {
      ...LIMITS,
      turnBytes: 1024 * 1024,
      itemBytes: 1024 * 1024,
    });
    expect(outcomes(small.forTurn(), [item(1), item(2, 1024 * 1024)])).toEqual([
      'kept 10',
      'An image (image/png) was not kept: 1 MiB of images and files are kept of one turn. The rest of them is left out.',
    ]);
    expect(outcomes(small.forTurn(), [item(1)])).toEqual(['kept 10']);
  });

  it('limits number and bytes per session, also after it was reopened; the same bytes count once', async () => {
    const fs = new MemorySessionFs();
    const before = contentOf(fs);
    const first = new ReportedContent(before, LIMITS);
    for (const n of [1, 2, 3, 1, 2, 3, 4]) outcomes(first.forTurn(), [item(n)]);
    await before.settled();
    const content = contentOf(fs);
    const again = new ReportedContent(content, LIMITS);
    await again.load();
    const full =
      'An image (image/png) was not kept: this session has 5 images and files already; go on in a new one. The rest of them is left out.';
    expect(outcomes(again.forTurn(), [item(5), item(6), item(7)])).toEqual(['kept 10', full, 'nothing']);
    expect(outcomes(again.forTurn(), [item(1), item(5)])).toEqual(['kept 10', 'kept 10']);
    await content.settled();
    expect(await content.list('agent-')).toHaveLength(5);
  });

  it('counts a content once that is kept in several files', async () => {
    const fs = new MemorySessionFs();
    const wholeFilesOnly = new Proxy(fs, {
      get: (target, key) => {
        const value = key === 'readRange' ? undefined : (Reflect.get(target, key) as unknown);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const limits = { ...LIMITS, itemBytes: 5_000_000, turnBytes: 5_000_000, sessionItems: 2, sessionBytes: 10_000_000 };
    const content = contentOf(wholeFilesOnly);
    outcomes(new ReportedContent(content, limits).forTurn(), [item(1, 5_000_000)]);
    await content.settled();
    expect(await content.list('agent-')).toHaveLength(3);
    const again = new ReportedContent(contentOf(wholeFilesOnly), limits);
    await again.load();
    expect(outcomes(again.forTurn(), [item(2, 5_000_000)])).toEqual(['kept 5000000']);
  });

  it('counts the bytes of a session', () => {
    const reported = new ReportedContent(contentOf(new MemorySessionFs()), { ...LIMITS, sessionItems: 100 });
    for (const n of [1, 2, 3]) expect(outcomes(reported.forTurn(), [item(n, 1_000)])).toEqual(['kept 1000']);
    expect(outcomes(reported.forTurn(), [item(4, 1)])[0]).toContain('of images and files already; go on in a new one');
  });

  it('reports ten refusals of a turn and then no more', () => {
    const reported = new ReportedContent(contentOf(new MemorySessionFs()), LIMITS);
    const all = outcomes(
      reported.forTurn(),
      Array.from({ length: 1_000 }, () => ({ data: '?', mimeType: 'a'.repeat(9_000) })),
    );
    expect(all.slice(0, 9).every((text) => text === 'A file was not kept: its data is not base64.')).toBe(true);
    expect(all[9]).toBe('A file was not kept: its data is not base64. The rest of them is left out.');
    expect(new Set(all.slice(10))).toEqual(new Set(['nothing']));
  });

  it('reports content that the agent only names', () => {
    const reported = new ReportedContent(contentOf(new MemorySessionFs()), LIMITS);
    expect(outcomes(reported.forTurn(), [{ mimeType: 'image/png' }, {}])).toEqual([
      'An image (image/png) was not kept: the agent did not send its data.',
      'A file was not kept: the agent did not send its data.',
    ]);
  });

  it('refuses everything when the session has no folder', () => {
    const fs = new MemorySessionFs();
    const stateless = new Proxy(fs, {
      get: (target, key) => (key === 'sessionStatePath' ? undefined : Reflect.get(target, key)),
    });
    const reported = new ReportedContent(contentOf(stateless), LIMITS);
    expect(outcomes(reported.forTurn(), [item(1)])[0]).toContain('this session has no folder for files');
  });

  it('retries what could not be stored', async () => {
    const fs = new MemorySessionFs();
    let isFull = true;
    const failing = new Proxy(fs, {
      get: (target, key) => {
        if (key === 'writeFile' && isFull) {
          return () => Promise.reject(new SessionFsFailure('ENOSPC', 'no space left'));
        }
        const value = Reflect.get(target, key) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const errors: unknown[] = [];
    const content = contentOf(failing, errors);
    const reported = new ReportedContent(content, LIMITS);
    outcomes(reported.forTurn(), [item(1)]);
    await expect(content.stored()).rejects.toThrow('no space left');
    expect(errors).toHaveLength(1);
    isFull = false;
    expect(outcomes(reported.forTurn(), [item(1)])).toEqual(['kept 10']);
    await content.stored();
    const hash = createHash('sha256').update(Buffer.alloc(10, 2)).digest('hex');
    expect(Buffer.from(await content.readAll(`agent-${hash}.bin`))).toEqual(Buffer.alloc(10, 2));
  });
});

describe('the ending of bytes', () => {
  const start = (text: string) => Buffer.from(text.padEnd(32, '\0'), 'latin1');

  it.each([
    ['\x89PNG\r\n\x1a\n', 'text/html', 'png'],
    ['\xff\xd8\xff\xe0', '', 'jpg'],
    ['GIF89a', '', 'gif'],
    ['RIFF\0\0\0\0WEBP', '', 'webp'],
    ['RIFF\0\0\0\0WAVE', 'image/png', 'wav'],
    ['RIFF\0\0\0\0AVI ', 'audio/wav', 'bin'],
    ['ID3\x04', '', 'mp3'],
    ['\xff\xfb\x90', 'audio/mpeg', 'mp3'],
    ['\xff\xfb\x90', 'application/x', 'bin'],
    ['OggS', 'audio/ogg; codecs=opus', 'ogg'],
    ['OggS', 'video/ogg', 'bin'],
    ['\0\0\0\x20ftypM4A ', 'Audio/mp4', 'm4a'],
    ['\0\0\0\x20ftypisom', 'video/mp4', 'bin'],
    ['<svg onload=alert(1)>', 'image/svg+xml', 'bin'],
    ['<!doctype html>', 'image/png', 'bin'],
    ['', 'image/png', 'bin'],
  ])('that begin with %j and are called %j is %s', (text, claimed, ending) => {
    expect(endingOfBytes(start(text), claimed)).toBe(ending);
  });
});
