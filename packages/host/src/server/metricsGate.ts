import type { IncomingMessage, ServerResponse } from 'node:http';
import { DEFAULT_SPACE } from '@agenthost/protocol/internal';
import type { Credential } from '../connection/credential.js';
import type { BearerGate } from './bearerGate.js';
import { hasBody } from './sockets/refusals.js';

export const METRICS_PATH = '/metrics';
/** Who asks more often gets the same answer again. */
const FRESH_MS = 100;

interface Page {
  readonly type: string;
  readonly text: string;
}

interface MetricsGateOptions {
  readonly bearer: BearerGate;
  readonly read: () => Page;
  readonly onUse?: (credential: Credential, from: string) => void;
  readonly onWrongToken: (from: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Figures of this host, for tokens that read them and nothing else, and for owners. */
export class MetricsGate {
  readonly #options: MetricsGateOptions;
  #page: Page | undefined;
  #readAt = 0;

  constructor(options: MetricsGateOptions) {
    this.#options = options;
  }

  async serve(request: IncomingMessage, response: ServerResponse, remote: string): Promise<void> {
    try {
      await this.#serve(request, response, remote);
    } catch (error) {
      this.#options.onError(error);
      response.destroy();
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse, remote: string): Promise<void> {
    const { bearer, onUse, onWrongToken } = this.#options;
    if (hasBody(request)) response.setHeader('connection', 'close');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return answer(response, 405, 'Metrics are read with GET.', { allow: 'GET, HEAD' });
    }
    const credential = await bearer.identify(request, remote, 'metrics');
    if (credential === 'ended') return void response.destroy();
    if (credential === undefined) {
      onWrongToken(remote);
      return answer(response, 401, NO_TOKEN, { connection: 'close', 'www-authenticate': 'Bearer' });
    }
    if (!mayRead(credential)) return answer(response, 403, OTHER_TOKEN, { connection: 'close' });
    if (!bearer.admit(request, credential)) {
      const tooMany = 'There are too many connections. Close some, or try again later.';
      return answer(response, 503, tooMany, { connection: 'close', 'retry-after': '5' });
    }
    onUse?.(credential, remote);
    const { type, text } = this.#read();
    response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  }

  #read(): Page {
    const now = performance.now();
    if (!this.#page || now - this.#readAt >= FRESH_MS) [this.#page, this.#readAt] = [this.#options.read(), now];
    return this.#page;
  }
}

/** Figures are of all spaces, so an owner of one of them can't see them. */
function mayRead({ role, only, space = DEFAULT_SPACE }: Credential): boolean {
  return only === 'metrics' || (role === 'owner' && space === DEFAULT_SPACE);
}

const MAKE_ONE = '"agenthost token add --role metrics --name NAME" makes one.';
const NO_TOKEN = `The token is missing or wrong. Send one in the header "Authorization: Bearer …"; ${MAKE_ONE}`;
const OTHER_TOKEN = `This token does not read metrics. Those of the role metrics do, and those of owners: ${MAKE_ONE}`;

function answer(response: ServerResponse, status: number, text: string, headers: Record<string, string>): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...headers }).end(`${text}\n`);
}
