import { describe, expect, it } from 'vitest';
import type { SessionFsHandler } from '../src/index.js';
import { createSessionFsAdapter } from '../src/sessionFs/sessionFsAdapter.js';

const BYTES = Buffer.from([0xff, 0xd8, 0x00, 0x1a, 0xc3]).toString('base64');

/** A handler written from the seed: `readFile(path)` answers text, and `writeFile(path, content)` takes it. */
function seedHandler() {
  const files = new Map<string, string>();
  const calls: string[] = [];
  const read = (path: string) => {
    calls.push(`read ${path}`);
    const text = files.get(path);
    if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: 'ENOENT' });
    return text;
  };
  const handler = {
    readFile: read,
    writeFile: (path: string, content: string) => void files.set(path, content),
    appendFile: (path: string, content: string) => void files.set(path, (files.get(path) ?? '') + content),
    exists: (path: string) => files.has(path),
    stat: (path: string) => ({ isFile: true, isDirectory: false, size: read(path).length, mtime: '2030-01-01' }),
    mkdir: () => {},
    readdir: () => [...files.keys()],
    readdirWithTypes: () => [],
    rm: (path: string) => void files.delete(path),
    rename: () => {},
  } as unknown as SessionFsHandler;
  return { files, calls, adapter: createSessionFsAdapter(handler) };
}

const at = (path: string) => ({ sessionId: 's', path });
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('createSessionFsAdapter with a text-only handler', () => {
  it('returns its text as bytes when bytes are requested', async () => {
    for (const text of ['{"v":1}\n', 'ü€🦊', 'dGV4dA==', 'abcd', '']) {
      const { adapter, files } = seedHandler();
      files.set('/a', text);
      expect(await adapter['sessionFs.readFile']({ ...at('/a'), encoding: 'base64' })).toEqual({
        content: base64(text),
      });
      expect(await adapter['sessionFs.readFile'](at('/a'))).toEqual({ content: text });
      expect((await adapter['sessionFs.stat'](at('/a'))).size).toBe(Buffer.byteLength(text));
    }
  });

  it('passes only text, and stores bytes in a text form', async () => {
    const { adapter, files } = seedHandler();
    expect(
      await adapter['sessionFs.writeFile']({ ...at('/a'), content: base64('ü text'), encoding: 'base64' }),
    ).toBeNull();
    expect(await adapter['sessionFs.writeFile']({ ...at('/b'), content: BYTES, encoding: 'base64' })).toBeNull();
    expect(await adapter['sessionFs.appendFile']({ ...at('/b'), content: BYTES, encoding: 'base64' })).toBeNull();
    expect([...files]).toEqual([
      ['/a', 'ü text'],
      ['/b', `\u001abase64,${BYTES}\u001a\u001abase64,${BYTES}\u001a`],
    ]);
    const twice = Buffer.concat([Buffer.from(BYTES, 'base64'), Buffer.from(BYTES, 'base64')]);
    const { content } = await adapter['sessionFs.readFile']({ ...at('/b'), encoding: 'base64' });
    expect(content).toBe(twice.toString('base64'));
    expect((await adapter['sessionFs.stat'](at('/b'))).size).toBe(10);
    expect((await adapter['sessionFs.readFile'](at('/b'))).content).toBe(twice.toString());
  });

  it('stores a text that looks like that form', async () => {
    const { adapter } = seedHandler();
    const text = `\u001abase64,${BYTES}\u001a`;
    await adapter['sessionFs.writeFile']({ ...at('/a'), content: text });
    expect((await adapter['sessionFs.readFile'](at('/a'))).content).toBe(text);
  });

  it('accepts times as texts, numbers or missing', async () => {
    const { adapter, files } = seedHandler();
    files.set('/a', 'x');
    expect(await adapter['sessionFs.stat'](at('/a'))).toMatchObject({
      mtime: '2030-01-01T00:00:00.000Z',
      birthtime: '',
    });
  });

  it('reports a missing method', async () => {
    const { adapter } = seedHandler();
    const error = { code: 'ENOENT', message: 'no /a' };
    expect(await adapter['sessionFs.readFile']({ ...at('/a'), encoding: 'base64' })).toEqual({ content: '', error });
    expect((await adapter['sessionFs.stat'](at('/a'))).error).toEqual(error);
  });
});

describe('createSessionFsAdapter with a handler that knows both encodings', () => {
  function handlerOf(files: Map<string, Buffer>): SessionFsHandler {
    const { handler } = { handler: {} as SessionFsHandler };
    const decode = (content: string, encoding: string) =>
      Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');
    return Object.assign(handler, {
      // With a default, as many would write it: how many parameters it names says nothing.
      readFile: (path: string, encoding = 'utf-8') => {
        const bytes = files.get(path) ?? Buffer.of();
        return bytes.toString(encoding === 'base64' ? 'base64' : 'utf8');
      },
      writeFile: (path: string, content: string, { encoding }: { encoding: string }) =>
        void files.set(path, decode(content, encoding)),
      rm: (path: string) => void files.delete(path),
    });
  }

  it('keeps bytes unchanged, whatever comes first', async () => {
    for (const first of ['read', 'write']) {
      const files = new Map([['/text', Buffer.from('YWJj')]]);
      const adapter = createSessionFsAdapter(handlerOf(files));
      if (first === 'read') {
        const { content } = await adapter['sessionFs.readFile']({ ...at('/text'), encoding: 'base64' });
        expect(content).toBe(base64('YWJj'));
      }
      await adapter['sessionFs.writeFile']({ ...at('/a'), content: BYTES, encoding: 'base64' });
      expect(files.get('/a')?.toString('base64')).toBe(BYTES);
      expect([...files.keys()]).toEqual(['/text', '/a']);
    }
  });
});
