import {
  type Author,
  CLOSE_CODE,
  type ClientInfo,
  type Commands,
  ERROR_CODE,
  PROTOCOL_VERSION,
  type Role,
} from '@agenthost/protocol';
import {
  ACTION_INTRODUCED_IN,
  isClientDispatchable,
  type Refusal,
  type RoleRefusedData,
  refuse,
  roleForAction,
  roleForMethod,
  roleRefusal,
} from '@agenthost/protocol/internal';
import {
  CLIENT_NOTIFICATION_SCHEMAS,
  COMMAND_SCHEMAS,
  SCHEMAS,
  uncheckedDispatchActionParams,
} from '@agenthost/protocol/schemas';
import {
  type CloseReason,
  type LocalRpcError,
  type RequestContext,
  RpcError,
  RpcPeer,
  type Transport,
} from '@agenthost/rpc';
import { describeIssues } from '../describeIssues.js';
import { EncodedFrame } from '../state/delivery.js';
import type { Subscriber } from '../state/publisher.js';
import { displayName } from './clientRegistry.js';
import type { CommandHandlers } from './commandHandlers.js';
import { ConnectionSubscriptions } from './connectionSubscriptions.js';
import type { Credential } from './credential.js';
import { type FrameTransport, MAX_FILE_FRAME_BYTES } from './frameTransport.js';
import type { HostServices } from './hostServices.js';
import { storageError } from './storageError.js';

/** One transport with one client on it: the handshake, then its commands and actions. A client survives its connections. */
export class ClientConnection implements Subscriber {
  /** Rises with each connection. */
  readonly number: number;
  readonly #credential: Credential;
  readonly subscriptions: ConnectionSubscriptions;
  readonly #services: HostServices;
  readonly #transport: FrameTransport;
  readonly #peer: RpcPeer;
  #isCalling = false;
  #isAtOnce = false;
  #identity: { readonly author: Author; readonly protocolVersion: number } | undefined;

  constructor(transport: FrameTransport, credential: Credential, services: HostServices, commands: CommandHandlers) {
    this.number = services.clients.nextNumber();
    this.#credential = credential;
    this.#transport = transport;
    this.#services = services;
    this.subscriptions = new ConnectionSubscriptions(this, services);
    // Answers go through the delivery like envelopes, in order.
    const ordered: Transport = {
      onMessage: (listener) => transport.onMessage(listener),
      onClose: (listener) => transport.onClose(listener),
      close: (reason) => transport.close(reason),
      ...(transport.onOversizeFrame && { onOversizeFrame: transport.onOversizeFrame.bind(transport) }),
      send: (frame) => {
        const encoded = new EncodedFrame(typeof frame === 'string' ? frame : new TextDecoder().decode(frame));
        if (this.#isCalling || this.#isAtOnce) this.deliver([encoded]);
        else services.delivery.enqueue({ frame: encoded, receivers: [this] });
        this.#isAtOnce = false;
      },
    };
    const { maxFrameBytes } = transport;
    this.#peer = new RpcPeer(ordered, {
      ...services.peerLimits,
      ...(maxFrameBytes !== undefined && { maxFrameBytes }),
      onError: (error) => this.#report(error),
    });
    this.#peer.onClose(() => this.#closed());
    this.#registerCommands(commands);
    this.#registerNotifications();
  }

  get credentialId(): string {
    return this.#credential.id;
  }

  get role(): Role {
    return this.#credential.role;
  }

  get tokenName(): string | undefined {
    return this.#credential.name;
  }

  get author(): Author {
    return this.#identity?.author ?? { clientId: '' };
  }

  get protocolVersion(): number {
    return this.#identity?.protocolVersion ?? PROTOCOL_VERSION;
  }

  get keepsFiles(): boolean {
    return this.#services.hostSessions.keeper === this;
  }

  get isOpen(): boolean {
    return this.#peer.closeReason === undefined;
  }

  /** Called at the end of a handshake: from now on this connection is that client. */
  identify(clientId: string, protocolVersion: number, clientInfo: ClientInfo | undefined): void {
    this.#services.clients.admit(clientId, this, protocolVersion);
    const { name } = this.#credential;
    this.#identity = {
      author: { clientId, ...(name === undefined ? displayName(clientInfo) : { name }) },
      protocolVersion,
    };
  }

  /** Called when the handshake failed after `identify`: the client may try again. */
  unidentify(): void {
    if (this.#identity) this.#services.clients.remove(this.#identity.author.clientId, this);
    this.#identity = undefined;
    this.subscriptions.clear();
  }

  get isIdentified(): boolean {
    return this.#identity !== undefined;
  }

  deliver(frames: readonly EncodedFrame[]): void {
    if (this.isOpen) this.#transport.write(frames);
  }

  /** Calls the client. It bypasses the delivery, which may itself be waiting for the files that this asks for. */
  request(method: string, params: object, timeoutMs: number): Promise<unknown> {
    this.#isCalling = true;
    try {
      return this.#peer.request(method, params, { timeoutMs });
    } finally {
      this.#isCalling = false;
    }
  }

  /** The answer that is just being made does not wait for the delivery. */
  answerAtOnce(): void {
    this.#isAtOnce = true;
  }

  /** This client keeps the sessions' files: one frame may hold a whole file or a list of files. */
  admitFiles(): void {
    this.#transport.admitFiles?.();
    this.#peer.setFrameLimits({ maxFrameBytes: MAX_FILE_FRAME_BYTES, maxValues: Number.POSITIVE_INFINITY });
  }

  cutOff(reason: string): void {
    this.close({ code: CLOSE_CODE.resync, message: reason });
  }

  close(reason: CloseReason): void {
    this.#peer.close(reason);
  }

  #registerCommands(commands: CommandHandlers): void {
    for (const method of Object.keys(COMMAND_SCHEMAS) as (keyof Commands)[]) this.#registerCommand(method, commands);
  }

  #registerCommand<M extends keyof Commands>(method: M, commands: CommandHandlers): void {
    const schema = COMMAND_SCHEMAS[method].params as unknown as Parameters<
      typeof parseParams<Commands[M]['params']>
    >[0];
    this.#peer.onRequest(method, {
      parse: (params) => {
        this.#checkHandshake(method);
        checkMethod(this.role, method);
        return parseParams(schema, params);
      },
      handle: (params: Commands[M]['params'], context: RequestContext) => {
        // A result that is not a promise is answered at once and is never in flight.
        const answer = commands[method](params, this, context);
        return answer instanceof Promise ? answer.catch((error: unknown) => this.#fail(method, error)) : answer;
      },
    });
  }

  #fail(method: string, error: unknown): never {
    const told = storageError(error);
    if (!told) throw error;
    if (told.code === ERROR_CODE.internalError) this.#services.log.error(`${method}: the storage failed`, error);
    throw told;
  }

  #checkHandshake(method: keyof Commands): void {
    const opens = method === 'initialize' || method === 'reconnect';
    if (method === 'ping' || opens !== this.isIdentified) return;
    const message = opens
      ? 'this connection has shaken hands already'
      : `${method} before initialize: initialize first`;
    throw new RpcError(ERROR_CODE.invalidRequest, message);
  }

  #registerNotifications(): void {
    this.#peer.onNotification('unsubscribe', {
      parse: (params) => parseParams(CLIENT_NOTIFICATION_SCHEMAS.unsubscribe, params),
      handle: ({ resource }) => this.subscriptions.remove(resource),
    });
    this.#peer.onNotification('dispatchAction', {
      parse: (params) => {
        if (!this.isIdentified) throw new RpcError(ERROR_CODE.invalidRequest, 'dispatchAction before initialize');
        const { data } = CLIENT_NOTIFICATION_SCHEMAS.dispatchAction.safeParse(params);
        if (data) return { ...data, isWhole: true } as const;
        // Enough to reject it: a malformed action is echoed to its sender with the reason.
        return { ...parseParams(uncheckedDispatchActionParams, params), isWhole: false } as const;
      },
      handle: (params) => {
        const { hostSessions } = this.#services;
        const { clientSeq, action } = params;
        const refusal = roleRefusal(this.role, roleForAction(action));
        if (refusal !== undefined) {
          const rejection = { code: 'roleNotAllowed' } as const;
          hostSessions.reject(this, clientSeq, action, { rejectionReason: refusal, rejection });
        } else if (params.isWhole) hostSessions.dispatch(this, clientSeq, params.action);
        else hostSessions.reject(this, clientSeq, action, shapeRefusal(action));
      },
    });
  }

  #report(error: LocalRpcError): void {
    // Wrong input was answered; a failure inside the host is an error in its log.
    const ours = error.code === 'handlerFailed' || error.code === 'notSerialisable' || error.code === 'listenerFailed';
    if (ours) this.#services.log.error(error.message, error.cause);
    else this.#services.log.debug(error.message);
  }

  #closed(): void {
    this.subscriptions.dispose();
    if (this.#identity) this.#services.clients.remove(this.#identity.author.clientId, this);
    this.#services.onConnectionClosed(this);
  }
}

export function checkMethod(role: Role, method: string): void {
  const needs = roleForMethod(method);
  const message = roleRefusal(role, needs);
  const data: RoleRefusedData = { role, needs };
  if (message !== undefined) throw new RpcError(ERROR_CODE.permissionDenied, message, { data });
}

interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: Parameters<typeof describeIssues>[0] } };
}

/** Parses params, or throws an error that says which of them is wrong and how. */
function parseParams<T>(schema: Schema<T>, params: unknown): T {
  const parsed = schema.safeParse(params ?? {});
  if (parsed.success) return parsed.data;
  throw new RpcError(ERROR_CODE.invalidParams, describeIssues(parsed.error.issues, 'params'));
}

/** Why no session may accept the action: clients may not dispatch it, or it is not well-formed. */
function shapeRefusal(raw: { readonly type: string }): Refusal {
  if (!isClientDispatchable(raw.type)) {
    return Object.hasOwn(ACTION_INTRODUCED_IN, raw.type) ? refuse('notDispatchable') : refuse('unknownAction');
  }
  const issues = SCHEMAS.ClientAction.safeParse(raw).error?.issues ?? [];
  return refuse('invalidAction', { detail: describeIssues(issues, 'action') });
}
