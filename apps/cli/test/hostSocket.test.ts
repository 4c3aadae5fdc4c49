import { randomBytes } from 'node:crypto';
import { connect } from '@agenthost/client';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { socketContract } from '../../../packages/client/test/support/socketContract.js';
import { startWebSocketServer } from '../../../packages/client/test/support/webSocketServer.js';
import { holds } from '../../../test/support/holds.js';
import { startTestHost } from '../../../test/support/testHost.js';
import { until } from '../../../test/support/until.js';
import { openHostSocket } from '../src/socket/hostSocket.js';
import { encodeFrame, FrameReader, OPCODE } from '../src/socket/webSocketFrames.js';

const { signal } = new AbortController();

describe('the socket to the host passes the transport contract', () => {
  socketContract((url) => openHostSocket({ url: new URL(url), token: 'x', signal }));

  it('sends the token only as a header', async () => {
    const server = await startWebSocketServer();
    const accepted = server.accept();
    const transport = await openHostSocket({ url: new URL(server.url), token: 's3cret', signal });
    const { headers, url } = (await accepted).request;
    expect([headers['sec-websocket-protocol'], headers.authorization, url]).toEqual([
      'agenthost',
      'Bearer s3cret',
      '/ws',
    ]);
    transport.close();
    server.close();
  });

  it('stops when it is aborted, and reports why it was refused', async () => {
    const server = await startWebSocketServer({ refuse: true });
    const url = new URL(server.url);
    await expect(openHostSocket({ url, token: 'x', signal })).rejects.toMatchObject({ name: 'UnauthorizedError' });
    server.close();
    await expect(openHostSocket({ url, token: 'x', signal })).rejects.toThrow(/nothing listens at/);
    const aborted = AbortSignal.abort(new Error('enough'));
    await expect(openHostSocket({ url, token: 'x', signal: aborted })).rejects.toThrow('enough');
  });

  it('transfers a turn of a real host, including a long answer', async () => {
    const host = await startTestHost();
    try {
      const transport = (abort: AbortSignal) => openHostSocket({ url: host.url, token: host.token, signal: abort });
      const client = await connect({ transport });
      const session = await client.createSession({ provider: 'mock' });
      await session.ready();
      await session.send('stream 20000');
      const { turns } = await until(session.confirmed, (state) => state.turns.length === 1, 'the turn', 20_000);
      expect(turns[0]?.responseParts.at(-1)).toMatchObject({
        content: expect.stringMatching(/delta 0000000019999\n$/),
      });
      // Its state is one frame of several hundred kilobytes.
      const again = await connect({ transport });
      expect((await again.openSession(session.uri)).confirmed.value.turns).toEqual(turns);
      again.close();
      client.close();
    } finally {
      await host.dispose();
    }
  });
});

describe('frames', () => {
  /** What a server sends is not masked: the same without the mask. */
  const fromServer = (payload: Buffer, first = 0x81): Buffer => {
    const masked = encodeFrame(OPCODE.text, payload, Buffer.alloc(4));
    const header = masked.subarray(0, masked.length - payload.length - 4);
    header[0] = first;
    header[1] = (header[1] ?? 0) & 0x7f;
    return Buffer.concat([header, payload]);
  };

  const part = (size: number, first: number) => fromServer(Buffer.alloc(size), first);

  it('are counted per message', () => {
    const message = [part(600, 0x01), part(0, 0x89), part(400, 0x80)];
    expect([...new FrameReader(1_000).push(Buffer.concat([...message, ...message]))]).toHaveLength(6);
  });

  it('are assembled, however they were cut', () => {
    const sizes = fc.constantFrom(0, 1, 125, 126, 127, 65_535, 65_536, 70_000);
    holds(
      fc.property(fc.array(sizes, { maxLength: 6 }), fc.array(fc.nat(100_000), { maxLength: 10 }), (lengths, cuts) => {
        const payloads = lengths.map((length) => randomBytes(length));
        const bytes = Buffer.concat(payloads.map((payload) => fromServer(payload)));
        const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const reader = new FrameReader(1_000_000);
        const frames = places.slice(1).flatMap((place, at) => [...reader.push(bytes.subarray(places[at], place))]);
        expect(frames.map(({ payload }) => payload.toString('hex'))).toEqual(payloads.map((p) => p.toString('hex')));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['too large', fromServer(Buffer.alloc(2_000)), 1_000],
    ['compressed', fromServer(Buffer.alloc(1), 0xc1), 1_000],
    ['masked', encodeFrame(OPCODE.text, Buffer.alloc(1), Buffer.alloc(4)), 1_000],
    ['a control frame that is too long', fromServer(Buffer.alloc(126), 0x89), 1_000],
    ['a control frame in parts', fromServer(Buffer.alloc(1), 0x09), 1_000],
    ['parts that are too large together', Buffer.concat([part(600, 0x01), part(600, 0x00)]), 1_000],
    [
      'parts without end, with nothing in them',
      Buffer.concat(Array.from({ length: 1_001 }, () => part(0, 0x00))),
      1_000,
    ],
  ])('are refused when they are %s', (_what, bytes, max) => {
    expect(() => [...new FrameReader(max).push(bytes)]).toThrow();
  });
});
