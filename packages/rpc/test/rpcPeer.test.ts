import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createMemoryTransportPair,
  encodeNotification,
  LateResult,
  RpcError,
  RpcPeer,
  rawResult,
  type Transport,
} from '../src/index.js';
import { settled, wirePeer } from './support/wirePeer.js';

const asIs = (params: unknown) => params;
const request = (id: number | string, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });

describe('RpcPeer', () => {
  it('sends requests and notifications in both directions', async () => {
    const { a, b } = createMemoryTransportPair();
    const [left, right] = [new RpcPeer(a), new RpcPeer(b)];
    const told: unknown[] = [];
    left.onRequest('left', { parse: asIs, handle: async (params) => ({ left: params }) });
    right.onRequest('right', { parse: asIs, handle: (params) => ({ right: params }) });
    right.onNotification('told', { parse: asIs, handle: (params) => void told.push(params) });
    left.notify('told', [1]);
    left.notify('told');
    expect(
      await Promise.all([left.request('right', { x: 1 }), right.request('left', [2]), left.request('right')]),
    ).toEqual([{ right: { x: 1 } }, { left: [2] }, {}]);
    expect(told).toEqual([[1], undefined]);
  });

  it('sends requests and notifications as JSON-RPC 2.0', async () => {
    const { peer, nextSent } = wirePeer();
    void peer.request('m', { a: 1 }).catch(() => {});
    void peer.request('n').catch(() => {});
    peer.notify('o', [2]);
    peer.sendFrame(encodeNotification('p'));
    peer.sendFrame(new TextEncoder().encode(encodeNotification('ä')));
    expect([await nextSent(), await nextSent(), await nextSent(), await nextSent(), await nextSent()]).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'm', params: { a: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'n' },
      { jsonrpc: '2.0', method: 'o', params: [2] },
      { jsonrpc: '2.0', method: 'p' },
      { jsonrpc: '2.0', method: 'ä' },
    ]);
  });

  it('rejects with the error of the other side', async () => {
    const { peer, receive } = wirePeer();
    const answer = peer.request('m');
    receive({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'no', data: { versions: [1] } } });
    const error = (await answer.catch((thrown: unknown) => thrown)) as RpcError;
    expect(error).toBeInstanceOf(RpcError);
    expect({ ...error, message: error.message }).toEqual({
      name: 'RpcError',
      code: -32005,
      message: 'no',
      data: { versions: [1] },
    });
  });

  it('computes a late result in the turn of the event loop in which it is sent', async () => {
    const { peer, receive, nextSent } = wirePeer();
    let seq = 0;
    const count = () => peer.notify('count', [++seq]);
    peer.onRequest('snapshot', { parse: asIs, handle: async () => new LateResult(() => seq) });
    peer.onRequest('broken', {
      parse: asIs,
      handle: () =>
        new LateResult(() => {
          throw new Error('secret');
        }),
    });
    peer.onRequest('refused', {
      parse: asIs,
      handle: async () =>
        new LateResult(() => {
          throw new RpcError(-32000, 'not now');
        }),
    });
    receive(request(1, 'snapshot'));
    count();
    // Between the handler's return and its answer; a result computed by the handler would already be too old.
    queueMicrotask(count);
    expect([await nextSent(), await nextSent(), await nextSent()]).toEqual([
      { jsonrpc: '2.0', method: 'count', params: [1] },
      { jsonrpc: '2.0', method: 'count', params: [2] },
      { jsonrpc: '2.0', id: 1, result: 2 },
    ]);
    receive(request(2, 'broken'));
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: 2, error: { code: -32603, message: 'internal error' } });
    receive(request(3, 'refused'));
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: 3, error: { code: -32000, message: 'not now' } });
  });

  it('answers out of order when handlers finish out of order', async () => {
    const { peer, receive, nextSent } = wirePeer();
    const gates = new Map<string, () => void>();
    peer.onRequest('wait', {
      parse: (params) => (params as [string])[0],
      handle: (name) => new Promise((resolve) => gates.set(name, () => resolve(name))),
    });
    receive(request(1, 'wait', ['one']));
    receive(request('1', 'wait', ['two']));
    await settled();
    gates.get('two')?.();
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: '1', result: 'two' });
    gates.get('one')?.();
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: 1, result: 'one' });
  });

  it('runs handlers on arrival and answers a plain result before the next frame', async () => {
    const { peer, receive, sent } = wirePeer();
    const order: string[] = [];
    peer.onNotification('n', {
      parse: asIs,
      handle: (params) => {
        order.push(`n${params}`);
        peer.notify('after', params as object);
      },
    });
    peer.onRequest('r', {
      parse: asIs,
      handle: (params) => {
        order.push(`r${params}`);
        peer.notify('during');
        return 'plain';
      },
    });
    receive({ jsonrpc: '2.0', method: 'n', params: [1] });
    receive(request(1, 'r', [2]));
    receive({ jsonrpc: '2.0', method: 'n', params: [3] });
    receive(request(2, 'echo', [4]));
    await settled();
    expect(order).toEqual(['n1', 'r2', 'n3']);
    expect(sent).toEqual([
      { jsonrpc: '2.0', method: 'after', params: [1] },
      { jsonrpc: '2.0', method: 'during' },
      { jsonrpc: '2.0', id: 1, result: 'plain' },
      { jsonrpc: '2.0', method: 'after', params: [3] },
      { jsonrpc: '2.0', id: 2, result: [4] },
    ]);
  });

  it('answers undefined as null and inserts a raw result', async () => {
    const { peer, receive, nextSent } = wirePeer();
    peer.onRequest('nothing', { parse: asIs, handle: () => undefined });
    peer.onRequest('raw', { parse: asIs, handle: async () => rawResult('{"snapshot":[1,2]}') });
    receive(request(1, 'nothing'));
    receive(request(2, 'raw'));
    expect([await nextSent(), await nextSent()]).toEqual([
      { jsonrpc: '2.0', id: 1, result: null },
      { jsonrpc: '2.0', id: 2, result: { snapshot: [1, 2] } },
    ]);
  });

  it('passes an RpcError on unchanged, but nothing of any other exception', async () => {
    const { peer, receive, nextSent, errors } = wirePeer();
    const secret = new Error('secret /home/me');
    const fail = (error: unknown) => () => {
      throw error;
    };
    peer.onRequest('refuses', {
      parse: asIs,
      handle: fail(new RpcError(-32001, 'session not found', { data: { uri: 'x' }, cause: secret })),
    });
    peer.onRequest('throws', { parse: asIs, handle: fail(secret) });
    peer.onRequest('rejects', { parse: asIs, handle: async () => fail(secret)() });
    peer.onRequest('throwsText', { parse: asIs, handle: fail('secret text') });
    for (const [id, method] of ['refuses', 'throws', 'rejects', 'throwsText'].entries()) {
      receive(request(id, method));
      const refused = { code: -32001, message: 'session not found', data: { uri: 'x' } };
      const error = id === 0 ? refused : { code: -32603, message: 'internal error' };
      expect(await nextSent()).toEqual({ jsonrpc: '2.0', id, error });
    }
    expect(errors.map(({ code, cause }) => [code, cause])).toEqual([
      ['handlerFailed', secret],
      ['handlerFailed', secret],
      ['handlerFailed', 'secret text'],
    ]);
  });

  it('answers with what is wrong with the params', async () => {
    const { peer, receive, nextSent, errors } = wirePeer();
    const handle = vi.fn();
    const parseWith = (error: unknown) => ({
      handle,
      parse: () => {
        throw error;
      },
    });
    peer.onRequest('message', parseWith(new Error('uri must be a string')));
    peer.onRequest('rpcError', parseWith(new RpcError(-32005, 'unsupported version')));
    peer.onRequest('other', parseWith(42));
    peer.onRequest('long', parseWith(new Error('x'.repeat(5_000))));
    peer.onNotification('told', parseWith(new Error('uri must be a string')));
    receive({ jsonrpc: '2.0', method: 'told' });
    for (const [id, [method, error]] of [
      ['message', { code: -32602, message: 'uri must be a string' }] as const,
      ['rpcError', { code: -32005, message: 'unsupported version' }] as const,
      ['other', { code: -32602, message: 'invalid params' }] as const,
      ['long', { code: -32602, message: 'x'.repeat(1_000) }] as const,
    ].entries()) {
      receive(request(id, method));
      expect(await nextSent()).toEqual({ jsonrpc: '2.0', id, error });
    }
    expect(handle).not.toHaveBeenCalled();
    expect(errors.map((error) => error.code)).toEqual(['invalidNotification']);
  });

  it('answers a result or an error that JSON cannot express', async () => {
    const { peer, receive, nextSent, errors, answersPing } = wirePeer();
    const cycle: { self?: unknown } = {};
    cycle.self = cycle;
    peer.onRequest('bigint', { parse: asIs, handle: () => 1n });
    peer.onRequest('cycle', { parse: asIs, handle: async () => cycle });
    peer.onRequest('data', { parse: asIs, handle: () => Promise.reject(new RpcError(-32001, 'no', { data: cycle })) });
    for (const [id, method] of ['bigint', 'cycle', 'data'].entries()) {
      receive(request(id, method));
      const error = method === 'data' ? { code: -32001, message: 'no' } : { code: -32603, message: 'internal error' };
      expect(await nextSent()).toEqual({ jsonrpc: '2.0', id, error });
    }
    expect(errors.map((error) => error.code)).toEqual(['notSerialisable', 'notSerialisable', 'notSerialisable']);
    expect(await answersPing()).toBe(true);
  });

  it('refuses params that JSON cannot express, and drops the request', async () => {
    const { peer, sent, answersPing } = wirePeer({ maxOutgoingRequests: 1 });
    await expect(peer.request('m', { n: 1n })).rejects.toMatchObject({ code: 'notSerialisable' });
    await expect(peer.request('m', { n: 1n })).rejects.toMatchObject({ code: 'notSerialisable' });
    expect(() => peer.notify('m', { n: 1n })).toThrow(expect.objectContaining({ code: 'notSerialisable' }));
    expect(await answersPing()).toBe(true);
    expect(sent).toEqual([]);
  });

  it('reports notifications without a handler or with a failing one, and continues', async () => {
    const { peer, receive, errors, answersPing } = wirePeer();
    const fail = () => {
      throw new Error('no');
    };
    peer.onNotification('throws', { parse: asIs, handle: fail });
    peer.onNotification('rejects', { parse: asIs, handle: async () => fail() });
    for (const method of ['unknown', 'toString', 'throws', 'rejects']) receive({ jsonrpc: '2.0', method });
    expect(await answersPing()).toBe(true);
    expect(errors.map((error) => error.code)).toEqual([
      'unknownNotification',
      'unknownNotification',
      'handlerFailed',
      'handlerFailed',
    ]);
  });

  it('has one handler per method, until it is disposed', async () => {
    const { peer, receive, nextSent } = wirePeer();
    const handler = { parse: asIs, handle: () => 1 };
    const first = peer.onRequest('m', handler);
    expect(() => peer.onRequest('m', handler)).toThrow('m has a handler already');
    expect(() => peer.onNotification('$/cancelRequest', { parse: asIs, handle: () => {} })).toThrow(
      'has a handler already',
    );
    first.dispose();
    receive(request(1, 'm'));
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'unknown method "m"' } });
    peer.onRequest('m', { ...handler });
    first.dispose();
    receive(request(2, 'm'));
    expect(await nextSent()).toEqual({ jsonrpc: '2.0', id: 2, result: 1 });
  });

  it('survives a hook that throws', async () => {
    const onError = vi.fn(() => {
      throw new Error('the hook');
    });
    const { receive, nextSent, answersPing } = wirePeer({ onError });
    receive('nonsense');
    receive({ jsonrpc: '2.0', method: 'unknown' });
    await nextSent();
    expect(await answersPing()).toBe(true);
    expect(onError).toHaveBeenCalledTimes(2);
  });

  it('survives a transport whose send throws', async () => {
    const { a } = createMemoryTransportPair();
    const broken: Transport = {
      ...a,
      send: () => {
        throw new Error('EPIPE');
      },
    };
    const onError = vi.fn();
    const peer = new RpcPeer(broken, { onError });
    await expect(peer.request('m')).rejects.toMatchObject({ code: 'sendFailed', cause: new Error('EPIPE') });
    peer.notify('m');
    expect(onError.mock.calls.map(([error]) => error.code)).toEqual(['sendFailed']);
  });
});

describe('RpcPeer on close', () => {
  afterEach(() => vi.useRealTimers());

  it('rejects pending requests exactly once, aborts its handlers and calls its listeners', async () => {
    vi.useFakeTimers();
    const { peer, receive, transport, sent, errors } = wirePeer();
    const signals: AbortSignal[] = [];
    let finish = (_: unknown) => {};
    peer.onRequest('slow', {
      parse: asIs,
      handle: (_, { signal }) => {
        signals.push(signal);
        return new Promise((resolve) => {
          finish = resolve;
        });
      },
    });
    peer.onRequest('obedient', {
      parse: asIs,
      handle: (_, { signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    });
    receive(request(1, 'slow'));
    receive(request(2, 'obedient'));
    const outcomes = [peer.request('a'), peer.request('b', {}, { signal: new AbortController().signal })];
    const log: string[] = [];
    peer.onClose(() => {
      throw new Error('a listener');
    });
    peer.onClose((reason) => log.push(reason.message));
    await vi.advanceTimersByTimeAsync(0);
    transport.close({ code: 4000, message: 'gone' });
    const settledOutcomes = await Promise.allSettled(outcomes);
    const closed = { name: 'ConnectionClosedError', code: 'connectionClosed', reason: { code: 4000, message: 'gone' } };
    expect(settledOutcomes).toMatchObject([
      { status: 'rejected', reason: closed },
      { status: 'rejected', reason: closed },
    ]);
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    expect(signals[0]?.reason).toMatchObject(closed);
    finish('too late');
    peer.close();
    peer.dispose();
    await expect(peer.request('c')).rejects.toMatchObject(closed);
    peer.notify('d');
    peer.sendFrame('e');
    await vi.advanceTimersByTimeAsync(60_000);
    expect(log).toEqual(['gone']);
    expect(peer.closeReason).toEqual({ code: 4000, message: 'gone' });
    expect(sent).toMatchObject([{ method: 'a' }, { method: 'b' }]);
    expect(errors.map((error) => error.code)).toEqual(['listenerFailed']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('ends at once on the side that closes', async () => {
    const { peer, transport } = wirePeer();
    const pending = peer.request('m');
    const told = new Promise((resolve) => transport.onClose(resolve));
    peer.dispose();
    expect(peer.closeReason).toEqual({ message: 'disposed' });
    await expect(pending).rejects.toMatchObject({ code: 'connectionClosed' });
    expect(await told).toEqual({ message: 'disposed' });
    expect(await new Promise((resolve) => peer.onClose(resolve))).toEqual({ message: 'disposed' });
  });

  it('handles nothing after the close, whatever the transport does', async () => {
    const listeners: ((text: string) => void)[] = [];
    const rude: Transport = {
      send: () => {},
      close: () => {},
      onClose: () => ({ dispose: () => {} }),
      onMessage: (listener) => {
        listeners.push(listener);
        return { dispose: () => {} };
      },
    };
    const peer = new RpcPeer(rude);
    const handle = vi.fn();
    peer.onNotification('n', { parse: asIs, handle });
    peer.close();
    for (const listener of listeners) listener('{"jsonrpc":"2.0","method":"n"}');
    expect(handle).not.toHaveBeenCalled();
  });

  it('is closed on a closed transport', async () => {
    const { a } = createMemoryTransportPair();
    a.close({ message: 'long ago' });
    const peer = new RpcPeer(a);
    const pending = peer.request('m');
    await expect(pending).rejects.toMatchObject({ reason: { message: 'long ago' } });
  });

  it('lets an abort listener of a handler use the closed peer', async () => {
    const { peer, receive, transport } = wirePeer();
    const outcomes: Promise<unknown>[] = [];
    peer.onRequest('slow', {
      parse: asIs,
      handle: (_, { signal }) => {
        signal.addEventListener('abort', () => outcomes.push(peer.request('x').catch((error) => error.code)));
        return new Promise(() => {});
      },
    });
    receive(request(1, 'slow'));
    await settled();
    transport.close();
    await settled();
    expect(await Promise.all(outcomes)).toEqual(['connectionClosed']);
  });
});
