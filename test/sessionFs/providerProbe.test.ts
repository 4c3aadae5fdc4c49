import type { SessionFsHandler } from '@agenthost/client';
import { describe, expect, it } from 'vitest';
import { ProviderProbe } from '../../packages/host/src/storage/client/providerProbe.js';
import { RpcSessionFs } from '../../packages/host/src/storage/client/rpcSessionFs.js';
import type { SessionFsProvider } from '../../packages/host/src/storage/client/sessionFsProvider.js';
import { MemorySessionFs } from '../../packages/host/src/storage/fs/memorySessionFs.js';
import { memoryHandler, textHandler } from '../support/storage/memoryProvider.js';
import { provideRaw, provideSessionFs } from '../support/storage/providedSessionFs.js';

function stored() {
  return new MemorySessionFs({ sessionStatePath: '/state' });
}

function rawWith(change: (handler: SessionFsHandler) => Partial<SessionFsHandler>, kind = memoryHandler) {
  const files = stored();
  const handler = kind(files);
  return { files, ...provideRaw({ ...handler, ...change(handler) }) };
}

/** Counts the calls of a provider. */
function counted(
  provider: SessionFsProvider,
): { readonly calls: { method: string; encoding?: unknown }[] } & SessionFsProvider {
  const calls: { method: string; encoding?: unknown }[] = [];
  return {
    calls,
    config: provider.config,
    call: (method, params, timeoutMs) => {
      calls.push({ method, encoding: 'encoding' in params ? params.encoding : undefined });
      return provider.call(method, params, timeoutMs);
    },
  };
}

const abilitiesOf = ({ provider }: { readonly provider: SessionFsProvider }) =>
  new ProviderProbe(provider).abilities('s1');

describe('the encoding of a provider', () => {
  it.each([
    ['bytes', memoryHandler, { takesBase64: true, counts: 'bytes' }],
    ['text alone', textHandler, { takesBase64: false, counts: 'characters' }],
  ] as const)('is found out: %s', async (_what, kind, expected) => {
    const files = stored();
    expect(await abilitiesOf(provideRaw(kind(files)))).toEqual(expected);
    expect(await files.readdir('/state')).toEqual([]);
  });

  it('is bytes with the adapter of the SDK, whatever the handler keeps', async () => {
    for (const kind of [memoryHandler, textHandler]) {
      expect(await abilitiesOf(await provideSessionFs(kind(stored())))).toEqual({ takesBase64: true, counts: 'bytes' });
    }
  });

  it.each<[string, (handler: SessionFsHandler) => Partial<SessionFsHandler>]>([
    [
      'refuses the encoding',
      (handler) => ({
        writeFile: (path, content, options) => {
          if (options.encoding === 'base64') throw new Error('unknown parameter');
          return handler.writeFile(path, content, options);
        },
      }),
    ],
    [
      'keeps decoded bytes as text',
      (handler) => ({
        writeFile: (path, content, { encoding }) =>
          handler.writeFile(path, Buffer.from(content, encoding as 'base64').toString(), { encoding: 'utf-8' }),
      }),
    ],
    ['takes base64 and gives none', (handler) => ({ readFile: (path) => handler.readFile(path, 'utf-8') })],
  ])('is text when it %s', async (_what, change) => {
    expect((await abilitiesOf(rawWith(change))).takesBase64).toBe(false);
  });

  it('is refused when text comes back changed', async () => {
    const changed = rawWith((handler) => ({
      readFile: async (path, encoding) => (await handler.readFile(path, encoding)).replace('\r\n', '\n'),
    }));
    await expect(abilitiesOf(changed)).rejects.toThrow(
      /the client that keeps the sessions' files failed \(.*came back with another text/,
    );
    expect(await changed.files.readdir('/state')).toEqual([]);
  });

  it('is bytes although one write failed, and is probed again after a complete failure', async () => {
    let failures = 1;
    const moody = (handler: SessionFsHandler): Partial<SessionFsHandler> => ({
      writeFile: (path, content, options) => {
        if (failures-- > 0) throw new Error('not now');
        return handler.writeFile(path, content, options);
      },
    });
    expect((await abilitiesOf(rawWith(moody))).takesBase64).toBe(true);
    failures = 99;
    const probe = new ProviderProbe(rawWith(moody).provider);
    await expect(probe.abilities('s1')).rejects.toThrow('not now');
    failures = 0;
    expect((await probe.abilities('s2')).takesBase64).toBe(true);
  });

  it('is probed once, however many sessions need it', async () => {
    const provider = counted(provideRaw(textHandler(stored())).provider);
    const probe = new ProviderProbe(provider);
    const sessions = Array.from({ length: 20 }, (_, n) => new RpcSessionFs(provider, `s${n}`, probe));
    await Promise.all(sessions.map((fs) => fs.writeFile(`/state/${fs.lockKey('')}`, Buffer.of(0xff, 0xfe))));
    const encoded = provider.calls.filter(({ encoding }) => encoding === 'base64');
    expect(encoded.map(({ method }) => method)).toEqual(['sessionFs.writeFile']);
  });
});

describe('files of a text-only client', () => {
  it('hold text unchanged, and other content between marks', async () => {
    const files = stored();
    const { fs } = provideRaw(textHandler(files));
    await fs.writeFile('/state/text', Buffer.from('ü€🦊 dGV4dA==\n'));
    await fs.writeFile('/state/bytes', Buffer.of(0xff, 0xd8, 0xff));
    expect(await files.readFile('/state/text')).toBe('ü€🦊 dGV4dA==\n');
    expect(await files.readFile('/state/bytes')).toBe('\u001abase64,/9j/\u001a');
    expect([(await fs.stat('/state/text')).size, (await fs.stat('/state/bytes')).size]).toEqual([19, 3]);
  });

  it('get large text in pieces that are valid text', async () => {
    const files = stored();
    const handler = textHandler(files);
    const pieces: string[] = [];
    const { fs } = provideRaw({
      ...handler,
      appendFile: (path, content, options) => {
        pieces.push(content);
        return handler.appendFile(path, content, options);
      },
    });
    const text = `x${'🦊'.repeat(700_000)}`;
    await fs.appendFile('/state/a', text);
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    expect((await fs.readFile('/state/a')) === text).toBe(true);
  });

  it('are not trusted when less comes than their size', async () => {
    const handler = textHandler(stored());
    const { fs } = provideRaw({
      ...handler,
      readFile: async (path, encoding) =>
        path.endsWith('/a') ? (await handler.readFile(path, encoding)).slice(0, 5) : handler.readFile(path, encoding),
    });
    await fs.writeFile('/state/a', 'a long text');
    await expect(fs.stat('/state/a')).rejects.toThrow('has 11 characters, but 5 came when it was read');
  });
});
