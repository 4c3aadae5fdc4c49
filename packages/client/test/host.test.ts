import { describe, expect, it } from 'vitest';
import { CommandFailedError, LimitReachedError } from '../src/errors.js';
import { connected } from './support/connected.js';

const URI = 'shell:/one';

describe('commands', () => {
  it('lists, browses, installs, removes, pings', async () => {
    const { fake, host } = await connected();
    fake.addSession(URI);
    expect(await host.listSessions({ filter: { isArchived: false }, limit: 5 })).toMatchObject({ total: 1 });
    expect(await host.browseDirectory('file:///w')).toMatchObject({ entries: [{ name: 'src' }] });
    await host.installAgent('shell');
    await host.removeAgent('shell');
    await host.ping();
    await host.disposeSession(URI);
    expect(fake.sessions.size).toBe(0);
    expect([host.defaultDirectory, host.serverInfo?.name]).toEqual(['file:///home/someone', 'fake']);
    expect(host.capabilities.sessions).toBe(true);
  });

  it('fetches content whole or by range', async () => {
    const { fake, host } = await connected();
    fake.content = Uint8Array.from({ length: 2_500_000 }, (_, i) => i % 251);
    const whole = await host.fetchContent('shell://one/c');
    expect(Buffer.compare(whole.bytes, fake.content)).toBe(0);
    expect(fake.requests('fetchContent')).toHaveLength(3);
    const part = await host.fetchContent('shell://one/c', { range: { offset: 10, length: 5 } });
    expect([...part.bytes, part.size, part.mimeType]).toEqual([10, 11, 12, 13, 14, 2_500_000, 'text/plain']);
    await expect(host.fetchContent('shell://one/c', { maxBytes: 1_000_000 })).rejects.toThrow(LimitReachedError);
    fake.content = new TextEncoder().encode('grüß');
    expect((await host.fetchContent('shell://one/c')).text()).toBe('grüß');
  });

  it('reports the error of the host', async () => {
    const { fake, host } = await connected();
    fake.addSession(URI);
    const failed = host.createSession({ provider: 'shell', session: URI });
    await expect(failed).rejects.toThrow(CommandFailedError);
  });
});
