import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { transportContract } from '../contract/transportContract.js';
import { type CloseReason, createLineTransport, type LineTransportOptions, RpcPeer } from '../src/index.js';

const encode = (text: string) => new TextEncoder().encode(text);

describe('line transport: contract', () => {
  const pair = async () => {
    const aToB = new TransformStream<Uint8Array, Uint8Array>();
    const bToA = new TransformStream<Uint8Array, Uint8Array>();
    return {
      a: createLineTransport({ readable: bToA.readable, writable: aToB.writable }),
      b: createLineTransport({ readable: aToB.readable, writable: bToA.writable }),
    };
  };
  for (const { name, run } of transportContract(pair)) it(name, run);
});

/** A transport whose other side is the test itself, in raw bytes. */
function wire(options: Partial<LineTransportOptions> = {}) {
  const written: string[] = [];
  const state = {
    writing: 'taken' as 'taken' | 'stuck',
    aborted: undefined as unknown,
    cancelled: false,
    ended: false,
  };
  let source!: ReadableStreamDefaultController<Uint8Array>;
  let sink!: WritableStreamDefaultController;
  const readable = new ReadableStream<Uint8Array>({
    start: (controller) => {
      source = controller;
    },
    cancel: () => {
      state.cancelled = true;
    },
  });
  const writable = new WritableStream<Uint8Array>({
    start: (controller) => {
      sink = controller;
    },
    write: (chunk) => {
      written.push(new TextDecoder().decode(chunk));
      return state.writing === 'stuck' ? new Promise(() => {}) : undefined;
    },
    close: () => {
      state.ended = true;
    },
    abort: (reason) => {
      state.aborted = reason;
    },
  });
  const transport = createLineTransport({ readable, writable, ...options });
  const closed = new Promise<CloseReason>((resolve) => transport.onClose(resolve));
  return { transport, closed, written, state, source, failWriting: (error: Error) => sink.error(error) };
}

describe('line transport', () => {
  afterEach(() => vi.useRealTimers());

  it('assembles lines however they were cut, including a last one without a newline', async () => {
    const { transport, closed, source } = wire();
    const received: string[] = [];
    transport.onMessage((text) => received.push(text));
    const bytes = encode('{"a":"ä😀"}\r\n\n{"b":1}\n{"c":"\u2028"}');
    for (const byte of bytes) source.enqueue(Uint8Array.of(byte));
    source.close();
    expect(await closed).toEqual({ message: 'the stream ended' });
    expect(received).toEqual(['{"a":"ä😀"}', '{"b":1}', '{"c":"\u2028"}']);
  });

  it('writes each frame as one line, including line breaks between tokens', async () => {
    const { transport, written, state } = wire();
    const pretty = JSON.stringify({ a: ['\n', 1] }, null, 2).replaceAll('\n', '\r\n');
    const shared = encode(pretty);
    transport.send(pretty);
    transport.send(shared);
    transport.send('{}');
    transport.close();
    await vi.waitFor(() => expect(state.ended).toBe(true));
    expect(written.map((line) => [JSON.parse(line), line.trimEnd().includes('\n') || line.includes('\r')])).toEqual([
      [{ a: ['\n', 1] }, false],
      [{ a: ['\n', 1] }, false],
      [{}, false],
    ]);
    expect(shared).toEqual(encode(pretty));
  });

  it('has a line over the limit answered in its place, and continues', async () => {
    const { transport, written, source } = wire({ maxLineBytes: 2_000 });
    const peer = new RpcPeer(transport);
    peer.onRequest('echo', { parse: (params) => params, handle: (params) => params });
    for (const id of [1, 2]) {
      source.enqueue(encode(`{"jsonrpc":"2.0","id":${id},"method":"echo","params":[${id}]}\n`));
      for (let i = 0; i < 1_000; i++) source.enqueue(encode('x'.repeat(1_000)));
      source.enqueue(encode('\n'));
    }
    await vi.waitFor(() => expect(written).toHaveLength(4));
    const refused = {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'the frame is longer than 2000 bytes' },
    };
    expect(written.map((line) => JSON.parse(line))).toEqual([
      { jsonrpc: '2.0', id: 1, result: [1] },
      refused,
      { jsonrpc: '2.0', id: 2, result: [2] },
      refused,
    ]);
  });

  it('closes when the other side does not read', async () => {
    const { transport, closed, state } = wire({ maxBufferedBytes: 1_000 });
    state.writing = 'stuck';
    for (let i = 0; i < 10; i++) transport.send('x'.repeat(99));
    expect(state.aborted).toBeUndefined();
    transport.send('y');
    expect(await closed).toEqual({ message: 'the other side left more than 1000 bytes unread' });
    await vi.waitFor(() => expect(state.cancelled).toBe(true));
    transport.send('z');
  });

  it('sends a long frame when nothing else waits, and does not count what was taken', async () => {
    const { transport, written, state } = wire({ maxBufferedBytes: 100 });
    for (let i = 1; i <= 5; i++) {
      transport.send('x'.repeat(1_000));
      await vi.waitFor(() => expect(written).toHaveLength(i));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(state.aborted).toBeUndefined();
  });

  it('closes when reading fails', async () => {
    const { transport, closed, state, source } = wire();
    transport.onMessage(() => {});
    source.error(new Error('ECONNRESET'));
    expect(await closed).toEqual({ message: 'reading failed: ECONNRESET' });
    await vi.waitFor(() => expect(state.aborted).toBeInstanceOf(Error));
  });

  it('closes when it receives something other than bytes', async () => {
    const { closed, source } = wire();
    source.enqueue('text' as unknown as Uint8Array);
    expect((await closed).message).toMatch(/^reading failed: /);
  });

  it('reads the rest when writing fails, and then closes', async () => {
    vi.useFakeTimers();
    const { transport, closed, source, failWriting } = wire();
    const received: string[] = [];
    transport.onMessage((text) => received.push(text));
    failWriting(new Error('EPIPE'));
    await vi.advanceTimersByTimeAsync(1_000);
    transport.send('lost');
    source.enqueue(encode('"last words"\n'));
    await vi.advanceTimersByTimeAsync(999);
    expect(received).toEqual(['"last words"']);
    await vi.advanceTimersByTimeAsync(1);
    expect(await closed).toEqual({ message: 'writing failed: EPIPE' });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('closes at once when writing fails and the stream ends', async () => {
    vi.useFakeTimers();
    const { transport, closed, source, failWriting } = wire();
    transport.onMessage(() => {});
    failWriting(new Error('EPIPE'));
    await vi.advanceTimersByTimeAsync(1);
    source.close();
    expect(await closed).toEqual({ message: 'the stream ended' });
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not wait for ever for the other side to read the end', async () => {
    vi.useFakeTimers();
    const { transport, state, closed } = wire({ lingerMs: 50 });
    state.writing = 'stuck';
    transport.send('x');
    transport.close();
    expect(await closed).toEqual({ message: 'closed by this side' });
    await vi.advanceTimersByTimeAsync(49);
    expect(state.cancelled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(state.cancelled).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('talks to a process over its standard streams', async () => {
    const script = 'process.stdin.pipe(process.stdout)';
    const child = spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'] });
    const transport = createLineTransport({
      readable: Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      writable: Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    });
    const exited = new Promise((resolve) => child.on('exit', resolve));
    const echoed = new Promise((resolve) => transport.onMessage(resolve));
    transport.send('{"text":"ä"}');
    expect(await echoed).toBe('{"text":"ä"}');
    transport.close();
    expect(await exited).toBe(0);
  });
});
