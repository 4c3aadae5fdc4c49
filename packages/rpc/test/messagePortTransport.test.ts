import { MessageChannel as NodeMessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { transportContract } from '../contract/transportContract.js';
import { createMessagePortTransport, type MessagePortLike, RpcPeer } from '../src/index.js';

const pairOf = ({ port1, port2 }: { port1: MessagePortLike; port2: MessagePortLike }) => ({
  a: createMessagePortTransport(port1),
  b: createMessagePortTransport(port2),
});

describe('MessagePort transport: contract', () => {
  for (const { name, run } of transportContract(async () => pairOf(new MessageChannel()))) it(name, run);
});

describe('MessagePort transport', () => {
  it('passes the reason of a close to the other side', async () => {
    const { a, b } = pairOf(new NodeMessageChannel());
    const reason = new Promise((resolve) => b.onClose(resolve));
    a.close({ code: 4001, message: 'bye' });
    expect(await reason).toEqual({ code: 4001, message: 'bye' });
  });

  it('notices a port that was closed without a message', async () => {
    const { port1, port2 } = new NodeMessageChannel();
    const transport = createMessagePortTransport(port1);
    const reason = new Promise((resolve) => transport.onClose(resolve));
    port2.close();
    expect(await reason).toEqual({ message: 'the port was closed' });
  });

  it('works where no close event is ever fired', async () => {
    const { port1, port2 } = new MessageChannel();
    const silent = (port: MessagePort): MessagePortLike => ({
      postMessage: (message) => port.postMessage(message),
      addEventListener: (type, listener) => type === 'message' && port.addEventListener(type, listener),
      removeEventListener: (type, listener) => port.removeEventListener(type, listener),
      start: () => port.start(),
      close: () => port.close(),
    });
    const { a, b } = pairOf({ port1: silent(port1), port2: silent(port2) });
    const reason = new Promise((resolve) => a.onClose(resolve));
    b.close({ message: 'bye' });
    expect(await reason).toEqual({ message: 'bye' });
  });

  it('ignores messages that are neither a frame nor the marker', async () => {
    const { port1, port2 } = new MessageChannel();
    const transport = createMessagePortTransport(port1);
    const received = new Promise((resolve) => transport.onMessage(resolve));
    for (const other of [null, 1, {}, { rpcClose: null }, { rpcClose: { message: 1 } }, new Uint8Array(1)])
      port2.postMessage(other);
    port2.postMessage('"frame"');
    expect(await received).toBe('"frame"');
    transport.close();
    port2.close();
  });

  it('connects peers', async () => {
    const { a, b } = pairOf(new MessageChannel());
    const [left, right] = [new RpcPeer(a), new RpcPeer(b)];
    right.onRequest('double', { parse: (params) => (params as { n: number }).n, handle: (n) => n * 2 });
    expect(await left.request('double', { n: 21 })).toBe(42);
    left.dispose();
  });
});
