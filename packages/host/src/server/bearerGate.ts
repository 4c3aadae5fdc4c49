import type { IncomingMessage } from 'node:http';
import type { Credential } from '../connection/credential.js';
import type { Authenticator } from './access/authenticator.js';
import type { Admission } from './sockets/admission.js';
import type { PacedSocket } from './sockets/pacedSocket.js';

export interface BearerGateOptions {
  readonly authenticator: Authenticator;
  readonly admission: Admission;
  readonly lookAgain?: () => Promise<void>;
}

/** Requests whose token is in the header `Authorization`, and nowhere else, under the rules that sockets have. */
export class BearerGate {
  readonly #options: BearerGateOptions;
  /** The tokens that have a slot for a connection. A proxy sends the requests of several over one. */
  readonly #admitted = new WeakMap<object, Set<string>>();

  constructor(options: BearerGateOptions) {
    this.#options = options;
  }

  /** `ended`: too many guess already. */
  async identify(
    { headers }: IncomingMessage,
    remote: string,
    purpose?: Credential['only'],
  ): Promise<Credential | 'ended' | undefined> {
    const { authenticator, lookAgain } = this.#options;
    const { authorization } = headers;
    if (authorization === undefined) return undefined;
    const find = () => authenticator.identify({ authorization }, purpose);
    const known = find();
    if (known === undefined) {
      if (!(await authenticator.slowDown(remote))) return 'ended';
      await lookAgain?.();
    }
    const found = known ?? find();
    if (found) authenticator.succeeded(remote);
    return found;
  }

  /** False: there are too many connections. */
  admit({ socket }: IncomingMessage, credential: Credential): boolean {
    const admitted = this.#admitted.get(socket) ?? new Set<string>();
    this.#admitted.set(socket, admitted);
    (socket as unknown as PacedSocket).joinGroup(credential.id);
    if (admitted.has(credential.id)) return true;
    const release = this.#options.admission.letIn(socket, credential);
    if (!release) return false;
    admitted.add(credential.id);
    socket.once('close', release);
    return true;
  }
}
