import { readdirSync, readFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';
import type { Turn } from './sockets/pacedSocket.js';

interface PageFile {
  readonly path: string;
  readonly type: string;
  /** Whether its name contains a hash of its content. */
  readonly immutable: boolean;
  /** A compressed copy beside it. */
  readonly gzip: string | undefined;
  readonly policy: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

/**
 * Scripts and styles come only from this host; an agent's text can't bring its own. Sockets may go to other hosts, because one
 * page shows several.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob: data:",
  'media-src blob:',
  "connect-src 'self' ws: wss:",
  "manifest-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types agenthost-worker',
].join('; ');

/** The document that draws diagrams is named after the hash of its script. */
const DIAGRAM_FRAME = /^\/assets\/diagram-([\w-]{43})\.html$/;

/**
 * It runs a large program on an agent's text. It has an origin of its own, runs no other script, and reaches nothing, not even this
 * host. Only the page can embed it.
 */
function diagramPolicy(hash: string): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}='`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-scripts',
  ].join('; ');
}

/** The first piece is written at once, the next when the other side has taken it. */
const PIECE_BYTES = 64 * 1024;

interface Cached {
  readonly mtimeMs: number;
  readonly content: Promise<Buffer>;
}

/**
 * The built page. Its files are listed once; a request can name only these. Files that were read are cached once for all
 * requests, so the memory is bounded by the size of the page.
 */
export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;
  readonly #cache = new Map<string, Cached>();

  /** `undefined` when no page was built. */
  static open(folder: string): PageFiles | undefined {
    try {
      readFileSync(join(folder, 'index.html'));
      return new PageFiles(folder);
    } catch {
      return undefined;
    }
  }

  private constructor(folder: string) {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const paths = new Set(entries.map((entry) => join(entry.parentPath, entry.name)));
    const files = new Map<string, PageFile>();
    for (const path of paths) {
      const type = TYPES[extname(path)];
      if (!type) continue;
      const url = path.slice(folder.length).replaceAll('\\', '/').replace(/^\/?/, '/');
      const gzip = paths.has(`${path}.gz`) ? `${path}.gz` : undefined;
      const hash = DIAGRAM_FRAME.exec(url)?.[1];
      const policy = hash === undefined ? PAGE_POLICY : diagramPolicy(hash);
      files.set(url === '/index.html' ? '/' : url, { path, type, gzip, policy, immutable: url.startsWith('/assets/') });
    }
    this.#files = files;
  }

  /** Its files; a test walks through these. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  has(url: string | undefined): boolean {
    return url !== undefined && this.#files.has(url);
  }

  /** Answers are sent in turn with other work of connections. */
  async serve(request: IncomingMessage, response: ServerResponse, inTurn: (turn: Turn) => void): Promise<void> {
    const file = this.#files.get(request.url ?? '');
    if (!file) return;
    const gzip = file.gzip !== undefined && acceptsGzip(request) ? file.gzip : undefined;
    try {
      const content = await this.#read(gzip ?? file.path);
      inTurn(() => {
        response.writeHead(200, {
          'content-type': file.type,
          'content-length': content.length,
          'content-security-policy': file.policy,
          'cache-control': file.immutable ? 'private, max-age=31536000, immutable' : 'no-cache',
          vary: 'accept-encoding',
          ...(gzip && { 'content-encoding': 'gzip' }),
        });
        if (request.method === 'HEAD') response.end();
        else inTurn(piecesOf(content, response, inTurn));
        return false;
      });
    } catch {
      const text = 'The page was rebuilt. Reload it.\n';
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    }
  }

  /** Reads a file again only when the page was rebuilt. */
  async #read(path: string): Promise<Buffer> {
    const { mtimeMs } = await stat(path);
    const cached = this.#cache.get(path);
    if (cached?.mtimeMs === mtimeMs) return cached.content;
    const content = readFile(path);
    this.#cache.set(path, { mtimeMs, content });
    content.catch(() => this.#cache.delete(path));
    return content;
  }
}

/** In pieces, so that TLS, which copies what it encrypts, never holds a whole file for a client that does not read. */
function piecesOf(content: Buffer, response: ServerResponse, inTurn: (turn: Turn) => void): Turn {
  let at = 0;
  const send: Turn = () => {
    const piece = content.subarray(at, at + PIECE_BYTES);
    at += PIECE_BYTES;
    if (at >= content.length) {
      response.end(piece);
      return false;
    }
    const hasRoom = response.write(piece);
    // Flushes in this turn; otherwise `http` writes at the end of the tick, for all turns of that tick.
    response.socket?.uncork();
    if (!hasRoom) response.once('drain', () => inTurn(send));
    return hasRoom;
  };
  return send;
}

function acceptsGzip(request: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
}
