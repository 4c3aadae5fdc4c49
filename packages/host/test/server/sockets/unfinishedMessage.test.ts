import { describe, expect, it } from 'vitest';
import { UnfinishedMessage } from '../../../src/server/sockets/webSocketTransport.js';

describe('UnfinishedMessage', () => {
  const PING = Buffer.alloc(125);
  const PING_FRAME = Buffer.alloc(131);

  function receive(message: UnfinishedMessage, piece: Buffer, parse: () => void = () => {}): void {
    message.arrived(piece);
    parse();
    message.handled();
  }

  it('holds nothing after a whole message, or after only control frames', () => {
    const message = new UnfinishedMessage();
    receive(message, Buffer.alloc(1_000), () => message.gotMessage());
    expect(message.heldBytes).toBe(0);
    receive(message, PING_FRAME, () => message.gotControlFrame(PING));
    expect(message.heldBytes).toBe(0);
    // One that came in two pieces.
    receive(message, PING_FRAME.subarray(0, 5));
    receive(message, PING_FRAME.subarray(5), () => message.gotControlFrame(PING));
    expect(message.heldBytes).toBe(0);
  });

  it('counts everything that comes while a message is unfinished, and adds a constant per piece', () => {
    const message = new UnfinishedMessage();
    receive(message, Buffer.alloc(7));
    for (let n = 0; n < 1_000; n++) receive(message, PING_FRAME, () => message.gotControlFrame(PING));
    expect(message.heldBytes).toBeGreaterThan(1_000 * PING_FRAME.length);
    for (let n = 0; n < 1_000; n++) receive(message, Buffer.alloc(1));
    expect(message.heldBytes).toBeGreaterThan(1_000 * PING_FRAME.length + 1_000 * 200);
    receive(message, Buffer.alloc(7), () => message.gotMessage());
    expect(message.heldBytes).toBe(0);
  });
});
