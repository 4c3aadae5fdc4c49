import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dropOldest } from '@agenthost/protocol/internal';
import { isLoopback } from '../networkAddress.js';

export const ONE_TIME_PATH = '/open/';

/** A browser that has to be started first may take a while. */
const VALID_MS = 10 * 60_000;
const MAX_LINKS = 16;

const USED_UP = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>This link can't be used again</title>
<h1>This link can't be used again</h1>
<p>It works once, within ten minutes, on the machine of the host. Open the link that <code>agenthost serve</code> printed, or ask
<code>agenthost token show</code> for the token.</p>
</html>
`;

interface Link {
  readonly validUntil: number;
  readonly target: () => string;
}

/** Links that lead once to a secret address: for a browser on this machine whose command line others may see. */
export class OneTimeLinks {
  readonly #now: () => number;
  readonly #links = new Map<string, Link>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The path of a new link. */
  create(target: () => string): string {
    const code = randomBytes(32).toString('base64url');
    this.#links.set(code, { target, validUntil: this.#now() + VALID_MS });
    dropOldest(this.#links, MAX_LINKS);
    return `${ONE_TIME_PATH}${code}`;
  }

  has(url: string | undefined): boolean {
    return url?.startsWith(ONE_TIME_PATH) ?? false;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    const target = request.method === 'GET' && isLocal(request) ? this.#take(request.url ?? '') : undefined;
    if (target === undefined) response.writeHead(410, { 'content-type': 'text/html; charset=utf-8' }).end(USED_UP);
    else response.writeHead(303, { location: target }).end();
  }

  #take(url: string): string | undefined {
    const code = url.slice(ONE_TIME_PATH.length);
    const link = this.#links.get(code);
    this.#links.delete(code);
    return link && link.validUntil > this.#now() ? link.target() : undefined;
  }
}

/** Only from this machine, and not through a proxy on it. */
function isLocal({ socket, headers }: IncomingMessage): boolean {
  const { remoteAddress = '', localAddress } = socket;
  const isForwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  return !isForwarded && (isLoopback(remoteAddress) || remoteAddress === localAddress);
}
