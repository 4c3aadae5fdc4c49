import { fromStoredText, isPlainStoredText, type SessionFsEncoding, toStoredText } from '@agenthost/protocol/internal';
import { WEB_BYTES } from '../byteTools.js';
import type { SessionFsFileOptions, SessionFsFileStat, SessionFsHandler } from './sessionFsHandler.js';

/** Bytes that are no text, in base64: a handler that gives these back as a text has not decoded them. */
const PROBE = 'w7z/AMM=';

/**
 * The contents of a handler's files, in either encoding. A handler that ignores `encoding` keeps text alone: what it answers is
 * taken as text, and what is no text is stored in a text form. Which kind it is shows the first time that it matters.
 */
export class HandlerContent {
  readonly #handler: SessionFsHandler;
  #takesBase64: boolean | undefined;
  #probing: Promise<boolean> | undefined;

  constructor(handler: SessionFsHandler) {
    this.#handler = handler;
  }

  async read(path: string, encoding: SessionFsEncoding): Promise<string> {
    if (encoding === 'base64') return this.#readBase64(path);
    const text = await this.#handler.readFile(path, 'utf-8');
    if (isPlainStoredText(text)) return text;
    await this.#learnFrom(path);
    return this.#takesBase64 === false ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytesOf(text)) : text;
  }

  async write(path: string, content: string, options: SessionFsFileOptions): Promise<void> {
    const stored = await this.#toStored(path, content, options);
    await this.#handler.writeFile(path, stored.content, stored.options);
  }

  async append(path: string, content: string, options: SessionFsFileOptions): Promise<void> {
    const stored = await this.#toStored(path, content, options);
    await this.#handler.appendFile(path, stored.content, stored.options);
  }

  /** Counts bytes, whatever the handler counts. */
  async stat(path: string): Promise<SessionFsFileStat> {
    const stat = await this.#handler.stat(path);
    if (!stat.isFile || stat.size === 0) return stat;
    await this.#learnFrom(path);
    if (this.#takesBase64 !== false) return stat;
    return { ...stat, size: bytesOf(await this.#handler.readFile(path, 'utf-8')).length };
  }

  async #readBase64(path: string): Promise<string> {
    const answer = await this.#handler.readFile(path, this.#takesBase64 === false ? 'utf-8' : 'base64');
    this.#takesBase64 ??= await this.#hasUnderstood(path, answer);
    return this.#takesBase64 === false ? WEB_BYTES.toBase64(bytesOf(answer)) : answer;
  }

  async #learnFrom(path: string): Promise<void> {
    if (this.#takesBase64 === undefined) await this.#readBase64(path);
  }

  /** No text but the empty one is its own base64. */
  async #hasUnderstood(path: string, answer: string): Promise<boolean | undefined> {
    if (answer === '') return undefined;
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(answer)) return false;
    // Where it is the same text, more of it may have come meanwhile.
    return !(await this.#handler.readFile(path, 'utf-8')).startsWith(answer);
  }

  async #toStored(path: string, content: string, options: SessionFsFileOptions) {
    const isBase64 = options.encoding === 'base64';
    if (!isBase64 && isPlainStoredText(content)) return { content, options };
    if (await this.#takesBase64At(path)) return { content, options };
    const text = toStoredText(isBase64 ? WEB_BYTES.fromBase64(content) : content, WEB_BYTES);
    return { content: text, options: { ...options, encoding: 'utf-8' as const } };
  }

  /** Before bytes are written it has to be known: a small file beside the path shows it. */
  async #takesBase64At(path: string): Promise<boolean> {
    if (this.#takesBase64 !== undefined) return this.#takesBase64;
    this.#probing ??= this.#probe(`${path}.probe`).finally(() => {
      this.#probing = undefined;
    });
    this.#takesBase64 = await this.#probing;
    return this.#takesBase64;
  }

  async #probe(path: string): Promise<boolean> {
    try {
      await this.#handler.writeFile(path, PROBE, { encoding: 'base64' });
      if ((await this.#handler.readFile(path, 'utf-8')) === PROBE) return false;
      return (await this.#handler.readFile(path, 'base64')) === PROBE;
    } finally {
      await this.#handler.rm(path, { recursive: false, force: true });
    }
  }
}

function bytesOf(stored: string): Uint8Array {
  return fromStoredText(stored, WEB_BYTES);
}
