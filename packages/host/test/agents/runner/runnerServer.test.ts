import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeFrame, FrameReader } from '../../../src/agents/runner/frames.js';
import { RunnerClient } from '../../../src/agents/runner/runnerClient.js';
import { RunnerServer } from '../../../src/agents/runner/runnerServer.js';

const SECRET = 'a-secret-of-the-start';

describe('the socket of the runner', () => {
  let folder: string;
  let server: RunnerServer;
  let ends: string[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agenthost-runner-'));
    ends = [];
    const onEnd = (why: string) => void ends.push(why);
    server = new RunnerServer({ folder, secret: SECRET, instance: 'one', mark: 'm.', leaseMs: 60_000, onEnd });
    await server.listen(join(folder, 'socket'));
  });
  afterEach(async () => {
    server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const host = (secret = SECRET) =>
    RunnerClient.connect({ version: 1, pid: 1, instance: 'one', socket: join(folder, 'socket'), secret });

  it('lets in only who knows the secret, and answers nobody else', async () => {
    await expect(host('a-secret-of-the-stars')).rejects.toThrow('refuses');
    await expect(host('')).rejects.toThrow('refuses');
    const said = [
      encodeFrame({ type: 'stop', ref: 1 }),
      encodeFrame({ type: 'reserve', ref: 1, id: 'abcdefgh', note: {} }),
      Buffer.alloc(64, 255),
      Buffer.from([0, 0, 0, 2, 0, 0, 0, 0, 0x5b, 0x31]),
      Buffer.from([0, 0, 0, 1, 0, 0, 0, 0, 0x37]),
    ];
    for (const bytes of said) {
      const stranger = connect(join(folder, 'socket'));
      const answers: Buffer[] = [];
      stranger.on('error', () => {}).on('data', (piece) => answers.push(piece));
      const ended = new Promise((resolve) => stranger.on('close', resolve));
      stranger.write(bytes);
      await ended;
      expect(answers).toEqual([]);
    }
    expect(server.programs).toEqual([]);
    expect(ends).toEqual([]);
  });

  it('has one host at a time, the newest', async () => {
    const first = await host();
    await first.requestProgram({ type: 'reserve', id: 'abcdefgh', note: { of: 'first' } });
    const second = await host();
    await first.closed;
    expect(second.found).toMatchObject([{ id: 'abcdefgh', state: 'reserved', note: { of: 'first' } }]);
    await expect(first.request({ type: 'stop' })).rejects.toThrow('The runner has ended');
    second.close();
  });

  it('refuses ids that are paths, programs that are not reserved, and requests of a newer host', async () => {
    const client = await host();
    const spec = { file: '/bin/true', args: [], cwd: '/', env: {} };
    for (const id of ['../../x', 'ABCDEFGH', '', 'a'.repeat(65)]) {
      await expect(client.request({ type: 'reserve', id, note: {} })).rejects.toThrow('other characters');
    }
    await expect(client.request({ type: 'start', id: 'abcdefgh', note: {}, spec })).rejects.toThrow('not reserved');
    await expect(client.request({ type: 'dance' } as never)).rejects.toThrow('older than the host');
    await client.request({ type: 'end', id: 'unknown0' });
    client.close();
  });

  it('says that what is read is gone, and serves the others', async () => {
    const client = await host();
    await client.request({ type: 'reserve', id: 'abcdefgh', note: {} });
    const ofAnother = Promise.withResolvers<void>();
    const beyond = Promise.withResolvers<void>();
    const listener = (onLost: () => void) => ({ onBytes() {}, onTyped() {}, onExit() {}, onLost });
    client.read('unknown0', { out: 0, err: 0 }, listener(ofAnother.resolve));
    client.read('abcdefgh', { out: 7, err: 0 }, listener(beyond.resolve));
    await Promise.all([ofAnother.promise, beyond.promise]);
    expect(client.isOpen).toBe(true);
    client.close();
  });

  it('takes a bounded number of programs, and forgets the oldest that does not run', async () => {
    const client = await host();
    const id = (n: number) => `program${String(n).padStart(5, '0')}`;
    const all = Array.from({ length: 1_010 }, (_, n) => client.request({ type: 'reserve', id: id(n), note: {} }));
    await Promise.all(all);
    expect(server.programs.length).toBe(1_000);
    expect(server.programs[0]?.id).toBe(id(10));
    client.close();
  });

  it('puts frames together from any pieces', () => {
    const frames = [encodeFrame({ a: 1 }), encodeFrame({ b: 'ü' }, Buffer.from('bytes')), encodeFrame({})];
    const all = Buffer.concat(frames);
    for (let size = 1; size <= all.length; size++) {
      const reader = new FrameReader();
      const found = [];
      for (let at = 0; at < all.length; at += size) found.push(...reader.push(all.subarray(at, at + size)));
      expect(found.map(({ head }) => head)).toEqual([{ a: 1 }, { b: 'ü' }, {}]);
      expect(found[1]?.bytes.toString()).toBe('bytes');
    }
    expect(() => encodeFrame({}, Buffer.alloc(70_000))).toThrow('too large');
  });
});
