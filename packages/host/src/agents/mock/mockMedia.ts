import { randomUUID } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import type { AgentContent } from '../agent.js';
import type { MockTurn } from './mockTurn.js';

const [WIDTH, HEIGHT] = [320, 200];
const RATE = 8_000;

/** `image` shows a picture in the answer, `image tool` as the result of a tool. */
export function showImage(turn: MockTurn, argument: string): void {
  show(
    turn,
    { data: picture().toString('base64'), mimeType: 'image/png' },
    { name: 'picture', isOfTool: argument === 'tool' },
  );
}

/** `audio` and `audio tool` do the same with audio. */
export function playAudio(turn: MockTurn, argument: string): void {
  show(
    turn,
    { data: tone().toString('base64'), mimeType: 'audio/wav' },
    { name: 'sound', isOfTool: argument === 'tool' },
  );
}

function show(turn: MockTurn, content: AgentContent, { name, isOfTool }: { name: string; isOfTool: boolean }): void {
  if (!isOfTool) {
    turn.text(`Here is a ${name}: `);
    turn.emit({ type: 'content', content });
    turn.text('That was all.');
    return;
  }
  const toolCallId = randomUUID();
  const display = { toolName: 'mock_make', displayName: 'Make', invocationMessage: `Making a ${name}` };
  turn.emit({
    type: 'toolStart',
    toolCall: { toolCallId, ...display, status: 'running', confirmed: { how: 'notNeeded' } },
  });
  const result = { success: true, pastTenseMessage: `Made a ${name}` };
  turn.emit({ type: 'toolComplete', toolCallId, result, contents: [content] });
  turn.text('Look at it.');
}

/** A PNG with a gradient. */
function picture(): Buffer {
  const rows = Buffer.alloc((WIDTH * 3 + 1) * HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const at = y * (WIDTH * 3 + 1) + 1 + x * 3;
      rows.set([Math.round((x / WIDTH) * 255), Math.round((y / HEIGHT) * 255), 160], at);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // Eight bits, red green blue.
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A WAV with half a second of 440 Hz, eight bits. */
function tone(): Buffer {
  const samples = Buffer.alloc(RATE / 2);
  for (let n = 0; n < samples.length; n++) samples[n] = Math.round(128 + 60 * Math.sin((2 * Math.PI * 440 * n) / RATE));
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  // Uncompressed, one channel.
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}
