import { connect, type Socket } from 'node:net';

/** `{"jsonrpc":"2.0","method":"` has 27 characters; then comes `action` or `notification`. */
const METHOD_AT = 27;

/**
 * A WebSocket client that does as little as it can: it counts the frames that are envelopes and looks no further, so that the
 * receivers are not what is measured.
 */
export class FrameReader {
  readonly #socket: Socket;
  readonly #onFrame: (payload: Buffer) => void;
  #rest: Buffer = Buffer.alloc(0);
  #isOpen = false;
  #isDeaf = false;

  private constructor(socket: Socket, onFrame: (payload: Buffer) => void) {
    this.#socket = socket;
    this.#onFrame = onFrame;
  }

  static async open(address: string, token: string, onFrame: (payload: Buffer) => void): Promise<FrameReader> {
    const url = new URL(address);
    const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    const reader = new FrameReader(socket, onFrame);
    const authorization = token ? `Authorization: Bearer ${token}\r\n` : '';
    socket.write(
      `GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n${authorization}\r\n`,
    );
    await new Promise<void>((resolve, reject) => {
      socket.on('data', (chunk) => {
        reader.#receive(chunk);
        if (reader.#isOpen) resolve();
      });
      socket.on('error', reject);
      socket.on('close', () => reject(new Error('a receiver was cut off')));
    });
    return reader;
  }

  /** Masked, as a client has to; with the mask 0 that changes nothing. */
  send(text: string): void {
    const payload = Buffer.from(text);
    const length = payload.length;
    const header =
      length < 126
        ? Buffer.from([0x81, 0x80 | length, 0, 0, 0, 0])
        : Buffer.from([0x81, 0xfe, length >> 8, length & 255, 0, 0, 0, 0]);
    this.#socket.write(Buffer.concat([header, payload]));
  }

  /** From now on it takes what comes and looks at none of it, which costs a tenth. */
  ignore(): void {
    this.#isDeaf = true;
  }

  close(): void {
    this.#socket.removeAllListeners();
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    if (this.#isDeaf) return;
    let data = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    if (!this.#isOpen) {
      const end = data.indexOf('\r\n\r\n');
      if (end < 0) {
        this.#rest = data;
        return;
      }
      if (!data.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101'))) throw new Error(data.subarray(0, end).toString());
      this.#isOpen = true;
      data = data.subarray(end + 4);
    }
    let at = 0;
    while (data.length - at >= 2) {
      const short = (data[at + 1] ?? 0) & 0x7f;
      const header = short < 126 ? 2 : short === 126 ? 4 : 10;
      if (data.length - at < header) break;
      const length =
        short < 126 ? short : short === 126 ? data.readUInt16BE(at + 2) : Number(data.readBigUInt64BE(at + 2));
      if (data.length - at < header + length) break;
      this.#onFrame(data.subarray(at + header, at + header + length));
      at += header + length;
    }
    this.#rest = data.subarray(at);
  }
}

export function isEnvelope(payload: Buffer): boolean {
  return payload[METHOD_AT] === 0x61;
}
