import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryTransportPair, RpcPeer } from '../src/index.js';
import { wirePeer } from './support/wirePeer.js';

const asIs = (params: unknown) => params;
const request = (id: number | string, method: string) => ({ jsonrpc: '2.0', id, method });
const flush = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

describe('cancellation', () => {
  it('rejects with the reason and notifies the other side', async () => {
    const { peer, sent, receive, errors, answersPing } = wirePeer();
    const controller = new AbortController();
    const answer = peer.request('m', undefined, { signal: controller.signal });
    const reason = new Error('the user changed their mind');
    controller.abort(reason);
    await expect(answer).rejects.toBe(reason);
    await flush();
    expect(sent.splice(0)).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'm' },
      { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } },
    ]);
    expect(vi.getTimerCount()).toBe(0);
    // The answer that crossed the cancellation is expected once, and only once.
    receive({ jsonrpc: '2.0', id: 1, result: 'late' });
    expect(await answersPing()).toBe(true);
    expect(errors).toEqual([]);
    receive({ jsonrpc: '2.0', id: 1, result: 'again' });
    expect(await answersPing()).toBe(true);
    expect(errors.map((error) => error.code)).toEqual(['unexpectedResponse']);
  });

  it('sends nothing when the signal is already aborted', async () => {
    const { peer, sent } = wirePeer();
    await expect(peer.request('m', {}, { signal: AbortSignal.abort('before') })).rejects.toBe('before');
    await flush();
    expect(sent).toEqual([]);
  });

  it('does nothing when the request is already answered, and releases the signal', async () => {
    const { peer, sent, receive } = wirePeer();
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const answer = peer.request('m', undefined, { signal: controller.signal });
    receive({ jsonrpc: '2.0', id: 1, result: 1 });
    expect(await answer).toBe(1);
    controller.abort();
    await flush();
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, method: 'm' }]);
    expect(removed).toHaveBeenCalledTimes(1);
  });

  it('aborts the signal of that handler only', async () => {
    const { a, b } = createMemoryTransportPair();
    const errors: unknown[] = [];
    const [caller, callee] = [new RpcPeer(a), new RpcPeer(b, { onError: (error) => errors.push(error) })];
    const signals: AbortSignal[] = [];
    callee.onRequest('slow', {
      parse: asIs,
      handle: (_, { signal }) => {
        signals.push(signal);
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const controller = new AbortController();
    const cancelled = caller.request('slow', {}, { signal: controller.signal });
    const other = caller.request('slow').catch((error) => error.code);
    await flush();
    controller.abort();
    await expect(cancelled).rejects.toThrow();
    await flush();
    expect(signals.map((signal) => signal.aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({ code: 'requestCancelled' });
    expect(errors).toEqual([]);
    caller.close();
    expect(await other).toBe('connectionClosed');
  });

  it('is still answered, and reports a handler that fails for another reason', async () => {
    const { peer, receive, nextSent, errors } = wirePeer();
    const onAbort = (fail: (signal: AbortSignal) => unknown) => ({
      parse: asIs,
      handle: (_: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(fail(signal)))),
    });
    peer.onRequest(
      'obeys',
      onAbort((signal) => signal.reason),
    );
    peer.onRequest(
      'obeysByName',
      onAbort(() => new DOMException('stopped', 'AbortError')),
    );
    peer.onRequest(
      'breaks',
      onAbort(() => new TypeError('x is not a function')),
    );
    for (const [id, method] of ['obeys', 'obeysByName', 'breaks'].entries()) {
      receive(request(id, method));
      receive({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id } });
      const message = method === 'breaks' ? 'internal error' : 'request cancelled';
      expect(await nextSent()).toEqual({ jsonrpc: '2.0', id, error: { code: -32603, message } });
    }
    expect(errors.map((error) => error.code)).toEqual(['handlerFailed']);
  });

  it('ignores a request that is not running, and reports an invalid one', async () => {
    const { receive, errors, answersPing } = wirePeer();
    receive({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 77 } });
    expect(await answersPing()).toBe(true);
    expect(errors).toEqual([]);
    receive({ jsonrpc: '2.0', method: '$/cancelRequest' });
    receive({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: {} } });
    expect(await answersPing()).toBe(true);
    expect(errors.map((error) => error.code)).toEqual(['invalidNotification', 'invalidNotification']);
  });
});

describe('time-outs', () => {
  const outcomeOf = async (peer: RpcPeer, timeoutMs: number | undefined, waitMs: number) => {
    let outcome = 'pending';
    peer.request('m', undefined, { timeoutMs }).catch((error) => {
      outcome = error.code;
    });
    await vi.advanceTimersByTimeAsync(waitMs);
    return outcome;
  };

  it('rejects after 30 s by default, and notifies the other side', async () => {
    const { peer, sent } = wirePeer();
    expect(await outcomeOf(peer, undefined, 29_999)).toBe('pending');
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'm' },
      { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } },
    ]);
    const answer = peer.request('slow', {}, { timeoutMs: 5 });
    const failed = expect(answer).rejects.toMatchObject({
      name: 'RequestTimeoutError',
      message: 'no answer to slow within 5 ms',
    });
    await vi.advanceTimersByTimeAsync(5);
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is set for the peer or for one request, and 0 means none', async () => {
    expect(await outcomeOf(wirePeer({ requestTimeoutMs: 100 }).peer, undefined, 100)).toBe('requestTimeout');
    expect(await outcomeOf(wirePeer({ requestTimeoutMs: 100 }).peer, 200, 199)).toBe('pending');
    expect(await outcomeOf(wirePeer({ requestTimeoutMs: 0 }).peer, undefined, 10 ** 9)).toBe('pending');
    expect(await outcomeOf(wirePeer().peer, 0, 10 ** 9)).toBe('pending');
    expect(await outcomeOf(wirePeer().peer, Number.POSITIVE_INFINITY, 10 ** 9)).toBe('pending');
  });

  it('does not overflow the timer', async () => {
    expect(await outcomeOf(wirePeer().peer, 2 ** 40, 10 ** 9)).toBe('pending');
  });

  it('leaves no timer behind when the answer comes', async () => {
    const { peer, receive } = wirePeer();
    const answers = [peer.request('a'), peer.request('b').catch((error) => error.code)];
    expect(vi.getTimerCount()).toBe(2);
    receive({ jsonrpc: '2.0', id: 1, result: 1 });
    receive({ jsonrpc: '2.0', id: 2, error: { code: 5, message: '' } });
    expect(await Promise.all(answers)).toEqual([1, 5]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('limits', () => {
  it('bounds the requests that it sends', async () => {
    const { peer, sent, receive } = wirePeer({ maxOutgoingRequests: 2 });
    const first = peer.request('m');
    void peer.request('m').catch(() => {});
    await expect(peer.request('third')).rejects.toMatchObject({
      name: 'LocalRpcError',
      code: 'tooManyRequests',
      message: 'third was not sent: 2 requests are waiting for an answer',
    });
    await flush();
    expect(sent).toHaveLength(2);
    receive({ jsonrpc: '2.0', id: 1, result: 1 });
    await first;
    void peer.request('m').catch(() => {});
    await flush();
    expect(sent).toHaveLength(3);
  });

  it('bounds running requests, including a cancelled one until it ends', async () => {
    const { peer, receive, nextSent, sent } = wirePeer({ maxIncomingRequests: 2 });
    const finish: (() => void)[] = [];
    peer.onRequest('slow', { parse: asIs, handle: () => new Promise<void>((resolve) => finish.push(resolve)) });
    for (const id of [1, 2, 3]) receive(request(id, 'slow'));
    receive({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 1 } });
    receive(request(4, 'slow'));
    const tooMany = { code: -32000, message: 'too many requests in flight' };
    expect([await nextSent(), await nextSent()]).toEqual([
      { jsonrpc: '2.0', id: 3, error: tooMany },
      { jsonrpc: '2.0', id: 4, error: tooMany },
    ]);
    finish[0]?.();
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: 1, result: null });
    receive(request(5, 'slow'));
    await flush();
    expect(sent).toEqual([]);
    expect(finish).toHaveLength(3);
  });

  it('frees the slot of a request, however it ends', async () => {
    const { peer, receive, nextSent } = wirePeer({ maxIncomingRequests: 1 });
    const fail = () => {
      throw new Error('no');
    };
    peer.onRequest('unparsed', { parse: fail, handle: asIs });
    peer.onRequest('throws', { parse: asIs, handle: fail });
    peer.onRequest('rejects', { parse: asIs, handle: async () => fail() });
    peer.onRequest('bigint', { parse: asIs, handle: () => 1n });
    for (const method of ['unparsed', 'throws', 'rejects', 'bigint', 'echo', 'unknown', 'echo']) {
      receive(request(method, method));
      expect(await nextSent()).not.toMatchObject({ error: { code: -32000 } });
    }
  });

  it('refuses an id that is in use, without failing the request that uses it', async () => {
    const { peer, receive, nextSent } = wirePeer();
    let finish = (_: string) => {};
    const handle = vi.fn(
      () =>
        new Promise<string>((resolve) => {
          finish = resolve;
        }),
    );
    peer.onRequest('slow', { parse: asIs, handle });
    receive(request(1, 'slow'));
    receive(request(1, 'slow'));
    expect(await nextSent()).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'the id of a running request was used again' },
    });
    finish('done');
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: 1, result: 'done' });
    expect(handle).toHaveBeenCalledTimes(1);
  });

  it('remembers a bounded number of abandoned requests', async () => {
    const { peer, receive, errors } = wirePeer({ maxOutgoingRequests: 2 });
    for (let i = 0; i < 3; i++) {
      const controller = new AbortController();
      const answer = peer.request('m', undefined, { signal: controller.signal }).catch(() => {});
      controller.abort();
      await answer;
    }
    for (const id of [1, 2, 3]) receive({ jsonrpc: '2.0', id, result: 0 });
    await flush();
    expect(errors.map((error) => error.message)).toEqual(['no request waits for the response to 1']);
  });

  it('answers frames over its limits', async () => {
    const { receive, nextSent, answersPing } = wirePeer({ maxFrameBytes: 1024, maxDepth: 3 });
    receive({ jsonrpc: '2.0', id: 1, method: 'echo', params: ['x'.repeat(1024)] });
    receive({ jsonrpc: '2.0', id: 2, method: 'echo', params: [[[]]] });
    expect([await nextSent(), await nextSent()]).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'the frame is longer than 1024 bytes' } },
      { jsonrpc: '2.0', id: 2, error: { code: -32600, message: 'the message is nested deeper than 3 levels' } },
    ]);
    expect(await answersPing()).toBe(true);
  });

  it.each([
    { maxFrameBytes: 1023 },
    { maxFrameBytes: Number.NaN },
    { maxDepth: 1 },
    { requestTimeoutMs: -1 },
    { maxOutgoingRequests: 0 },
    { maxIncomingRequests: 0 },
  ])('refuses %j', (options) => {
    expect(() => wirePeer(options)).toThrow(RangeError);
  });
});
