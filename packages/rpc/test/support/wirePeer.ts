import { createMemoryTransportPair, type LocalRpcError, RpcPeer, type RpcPeerOptions } from '../../src/index.js';

/** A peer whose other side is the test itself, in raw frames. */
export function wirePeer(options: RpcPeerOptions = {}) {
  const { a, b } = createMemoryTransportPair();
  const errors: LocalRpcError[] = [];
  const peer = new RpcPeer(a, { onError: (error) => errors.push(error), ...options });
  const sent: unknown[] = [];
  const waiting: (() => void)[] = [];
  b.onMessage((text) => {
    sent.push(JSON.parse(text));
    for (const wake of waiting.splice(0)) wake();
  });
  peer.onRequest('echo', { parse: (params) => params, handle: (params) => params });
  const nextSent = async (): Promise<unknown> => {
    while (sent.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    return sent.shift();
  };
  return {
    peer,
    transport: b,
    /** What the peer sent and the test has not taken with `nextSent` yet. */
    sent,
    /** What the `onError` hook was told. */
    errors,
    nextSent,
    receive: (message: unknown) => b.send(typeof message === 'string' ? message : JSON.stringify(message)),
    /** Resolves when the peer has handled all that it received before, and its answers have arrived. */
    answersPing: async (): Promise<boolean> => {
      b.send('{"jsonrpc":"2.0","id":"ping","method":"echo","params":["pong"]}');
      const answer = JSON.stringify(await nextSent());
      return answer === '{"jsonrpc":"2.0","id":"ping","result":["pong"]}';
    },
  };
}

/** Resolves after every microtask that is queued now, and what those queue. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
