import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join } from 'node:path';

interface PageFile {
  readonly path: string;
  readonly type: string;
  /** Its name has a hash of its content in it. */
  readonly immutable: boolean;
  /** A copy beside it that is compressed already. */
  readonly gzip: string | undefined;
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
 * Scripts and styles come from here and from nowhere else; what an agent wrote can't bring its own. Sockets may go elsewhere,
 * because one page shows several hosts.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob: data:",
  "connect-src 'self' ws: wss:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types agenthost-worker',
].join('; ');

/** The built page. Its files are listed once; a request can name one of them or nothing. */
export class PageFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  /** `undefined` where no page was built. */
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
      files.set(url === '/index.html' ? '/' : url, { path, type, gzip, immutable: url.startsWith('/assets/') });
    }
    this.#files = files;
  }

  /** What it serves; a test walks through these. */
  get paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  has(url: string | undefined): boolean {
    return url !== undefined && this.#files.has(url);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const file = this.#files.get(request.url ?? '');
    if (!file) return;
    const gzip = file.gzip !== undefined && acceptsGzip(request) ? file.gzip : undefined;
    try {
      const content = await readFile(gzip ?? file.path);
      response.writeHead(200, {
        'content-type': file.type,
        'content-length': content.length,
        'content-security-policy': PAGE_POLICY,
        'cache-control': file.immutable ? 'private, max-age=31536000, immutable' : 'no-cache',
        vary: 'accept-encoding',
        ...(gzip && { 'content-encoding': 'gzip' }),
      });
      response.end(request.method === 'HEAD' ? undefined : content);
    } catch {
      const text = 'The page was built anew. Reload it.\n';
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    }
  }
}

function acceptsGzip(request: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
}
