import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential } from '../connection/credential.js';
import { OPENAPI_PATH } from './apiRoutes.js';
import type { BearerGate } from './bearerGate.js';
import type { Admission } from './sockets/admission.js';
import type { HeldBytes, Holder } from './sockets/heldBytes.js';
import { hasBody } from './sockets/refusals.js';

/** Who sent a request to the API, and what its answer may do. */
export interface ApiAccess {
  readonly credential: Credential;
  /** The answer may take as long as it likes to be read; whoever writes it bounds that itself. */
  stream(): void;
  /** Counts what is held for the answer among all that is held for its token, until the answer ends. */
  hold(holder: Holder): void;
  /** More is held now. */
  held(): void;
}

export interface ServedApi {
  serve(request: IncomingMessage, response: ServerResponse, access: ApiAccess): Promise<void>;
  describe(request: IncomingMessage, response: ServerResponse): Promise<void>;
  refuse(response: ServerResponse, status: number, code: string, detail: string, whatToDo: string): void;
}

interface ApiGateOptions {
  /** Loaded with the first request. */
  readonly load: () => Promise<ServedApi>;
  readonly bearer: BearerGate;
  readonly admission: Admission;
  readonly held: HeldBytes;
  readonly onUse?: (credential: Credential, from: string) => void;
  readonly onWrongToken: (from: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Lets requests with a token through to the API, under the rules that sockets have. */
export class ApiGate {
  readonly #options: ApiGateOptions;

  constructor(options: ApiGateOptions) {
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
    const { load, bearer, admission, held, onUse } = this.#options;
    const path = request.url?.split('?', 1)[0];
    if (path === OPENAPI_PATH) {
      if (hasBody(request)) response.setHeader('connection', 'close');
      return (await load()).describe(request, response);
    }
    const credential = await bearer.identify(request, remote);
    if (credential === 'ended') return void response.destroy();
    if (credential === undefined || credential.shared) {
      if (!credential) this.#options.onWrongToken(remote);
      response.setHeader('connection', 'close');
      response.setHeader('www-authenticate', 'Bearer');
      const detail = credential ? 'A read-only link does not open the API.' : 'The token is missing or wrong.';
      return (await load()).refuse(
        response,
        credential ? 403 : 401,
        credential ? 'readOnlyLink' : 'unauthorized',
        detail,
        TOKEN,
      );
    }
    if (!bearer.admit(request, credential)) {
      response.setHeader('connection', 'close');
      response.setHeader('retry-after', '5');
      const what = 'There are too many connections.';
      return (await load()).refuse(response, 503, 'tooManyConnections', what, 'Close some, or try again later.');
    }
    onUse?.(credential, remote);
    const api = await load();
    await api.serve(request, response, {
      credential,
      stream: () => admission.streams(response),
      hold: (holder) => {
        held.add(credential, holder);
        response.once('close', () => held.remove(credential, holder));
      },
      held: () => held.check(credential),
    });
  }
}

const TOKEN = 'Send a token of this host in the header "Authorization: Bearer …"; `agenthost token add` makes one.';
