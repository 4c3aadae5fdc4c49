import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authenticator } from './authenticator.js';
import { DeviceTokenError } from './deviceToken.js';
import type { CodeRefusal, Pairings } from './pairings.js';

export const PAIR_PATH = '/pair';

/** How a page sends what a request without a body can't carry otherwise; both are percent-encoded. */
const DEVICE_HEADER = 'agenthost-device';
const USER_HEADER = 'agenthost-user';

interface PairRouteOptions {
  readonly pairings: Pairings;
  readonly authenticator: Authenticator;
  /** The machine's name, and the words that identify the host. */
  readonly about: () => { readonly machine: string; readonly words: string };
}

/**
 * How a device gets its token for a code, which is in the `Authorization` header: GET tells what it would get, POST gets it. There is
 * no body in either direction that the host would have to read, and no code in an address.
 */
export class PairRoute {
  readonly #options: PairRouteOptions;

  constructor(options: PairRouteOptions) {
    this.#options = options;
  }

  has(url: string | undefined): boolean {
    return url?.split('?', 1)[0] === PAIR_PATH;
  }

  /** `wrongCode` is told of each code that is unknown; `remote` is the address that guesses are counted for. */
  async serve(
    request: IncomingMessage,
    response: ServerResponse,
    remote: string,
    wrongCode: () => void,
  ): Promise<void> {
    const { pairings, authenticator, about } = this.#options;
    const code = /^Pair (\S{1,64})$/.exec(request.headers.authorization ?? '')?.[1];
    const isPost = request.method === 'POST';
    if (!isPost && request.method !== 'GET') return answer(response, 405, { error: 'method' });
    if (code === undefined) return answer(response, 401, { error: 'missing' });
    const [name, user] = [headerText(request, DEVICE_HEADER), headerText(request, USER_HEADER)];
    try {
      const given = { name: name ?? '', ...(user !== undefined && { user }) };
      const result = isPost ? await pairings.redeem(code, given) : await pairings.look(code, name);
      if (typeof result === 'object') return answer(response, 200, isPost ? result : { ...result, ...about() });
      if (result !== 'unknown') return answer(response, 410, { error: result });
      wrongCode();
      if (await authenticator.slowDown(remote)) answer(response, 401, { error: result satisfies CodeRefusal });
      else response.destroy();
    } catch (error) {
      if (!(error instanceof DeviceTokenError)) return answer(response, 500, { error: 'failed' });
      const { code: reason, message, whatToDo } = error;
      answer(response, reason === 'invalidName' ? 400 : 409, { error: reason, message: `${message} ${whatToDo}` });
    }
  }
}

function answer(response: ServerResponse, status: number, value: object): void {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, headers).end(`${JSON.stringify(value)}\n`);
}

function headerText({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  if (typeof value !== 'string') return undefined;
  try {
    return decodeURIComponent(value).slice(0, MAX_TEXT);
  } catch {
    return undefined;
  }
}

const MAX_TEXT = 200;
