import {
  type Author,
  CLOSE_CODE,
  type ClientInfo,
  type Commands,
  ERROR_CODE,
  type Notification,
  PROTOCOL_VERSION,
  type Role,
  type SharedSession,
  type URI,
} from '@agenthost/protocol';
import {
  ACTION_INTRODUCED_IN,
  DEFAULT_SPACE,
  type InitializeParams,
  isActionKnownToVersion,
  isAllowedByLink,
  isClientDispatchable,
  isNotificationKnownToVersion,
  type LookAtParams,
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
  encodeNotification,
  type LocalRpcError,
  type RequestContext,
  type RequestOptions,
  RpcError,
  RpcPeer,
  type Transport,
} from '@agenthost/rpc';
import { describeIssues, FIRST_ISSUE } from '../describeIssues.js';
import type { SubscribableResource, VisibleSessions } from '../sessions/sessions.js';
import { EncodedFrame } from '../state/delivery.js';
import { deviceKey, type Lookers, NO_LOOKERS, type Subscriber } from '../state/publisher.js';
import { displayName } from './clientRegistry.js';
import type { CommandHandlers } from './commandHandlers.js';
import { ConnectionSubscriptions } from './connectionSubscriptions.js';
import type { Credential } from './credential.js';
import { type FrameTransport, MAX_FILE_FRAME_BYTES } from './frameTransport.js';
import type { HostServices } from './hostServices.js';
import { SharedRoot } from './sharedRoot.js';
import { storageError } from './storageError.js';
import { auditActor, watchedCommand } from './watchedCommand.js';

const LINK_READS = 'This link shows one session, to be read only.';

/** What a client says of itself in its handshake. */
type Introduction = Pick<InitializeParams, 'clientId' | 'clientInfo' | 'watch'>;

/** One transport with one client on it: the handshake, then its commands and actions. A client survives its connections. */
export class ClientConnection implements Subscriber {
  /** Rises with each connection. */
  readonly number: number;
  readonly #credential: Credential;
  /** Those of its space. */
  readonly sessions: VisibleSessions;
  readonly subscriptions: ConnectionSubscriptions;
  readonly #services: HostServices;
  readonly #transport: FrameTransport;
  readonly #peer: RpcPeer;
  #isCalling = false;
  #isAtOnce = false;
  #identity: { readonly author: Author; readonly protocolVersion: number } | undefined;
  #watchLimit: number | undefined;
  /** What its user looks at; `undefined` until it says so. */
  #look: LookAtParams | undefined;

  constructor(transport: FrameTransport, credential: Credential, services: HostServices, commands: CommandHandlers) {
    this.number = services.clients.nextNumber();
    this.#credential = credential;
    this.#transport = transport;
    this.#services = services;
    this.sessions = services.sessionsOf(this.space, credential.shared?.session);
    const { sequence } = services;
    const root = credential.shared ? new SharedRoot(services.root, sequence, credential.shared) : services.root;
    const changes = credential.shared ? undefined : (session: URI) => services.changes.of(session, this.space);
    this.subscriptions = new ConnectionSubscriptions(this, { root, sessions: this.sessions, changes });
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

  get space(): string {
    return this.#credential.space ?? DEFAULT_SPACE;
  }

  /** What a client with a read-only link can see. */
  get shared(): SharedSession | undefined {
    return this.#credential.shared;
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

  /** It hears only of so many of the newest sessions, and of those that it has subscribed to; `undefined`: of all. */
  get watchLimit(): number | undefined {
    return this.#watchLimit;
  }

  /** A client that does not say what its user sees is taken to show all that it has subscribed to. */
  lookersOf(session: URI): Lookers {
    // Whoever has a link can't answer: its owner is still told.
    if (this.shared) return NO_LOOKERS;
    const look = this.#look;
    if (!look) return { anybody: true, devices: [] };
    if (look.session !== session) return NO_LOOKERS;
    const { subscription } = look;
    return { anybody: true, devices: subscription === undefined ? [] : [deviceKey(this.credentialId, subscription)] };
  }

  lookAt(look: LookAtParams): void {
    // Until it said so the first time, its user was taken to look at all of them.
    const before = this.#look ? [this.#look.session] : this.subscriptions.uris;
    this.#look = look;
    for (const uri of new Set([...before, look.session]))
      if (uri !== undefined) this.sessions.loaded(uri)?.looksChanged?.();
  }

  get keepsFiles(): boolean {
    return this.#services.hostSessions.keeper === this;
  }

  get isOpen(): boolean {
    return this.#peer.closeReason === undefined;
  }

  /** Called at the end of a handshake: from now on this connection is that client. */
  identify({ clientId, clientInfo, watch }: Introduction, protocolVersion: number): void {
    this.#watchLimit = watch?.limit;
    this.#services.clients.admit(clientId, this, protocolVersion);
    this.#identity = { author: { clientId, ...authorOf(this.#credential, clientInfo) }, protocolVersion };
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

  /** Tells only this client something. */
  notify(notification: Notification): void {
    if (!isNotificationKnownToVersion(notification, this.protocolVersion)) return;
    const frame = new EncodedFrame(encodeNotification('notification', { notification }));
    this.#services.delivery.enqueue({ frame, receivers: [this] });
  }

  /** Calls the client. It bypasses the delivery, which may itself be waiting for the files that this asks for. */
  request(method: string, params: object, options: RequestOptions): Promise<unknown> {
    this.#isCalling = true;
    try {
      return this.#peer.request(method, params, options);
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

  goesOn(session: URI, as: SubscribableResource): void {
    this.subscriptions.goesOn(session, as);
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
        if (this.shared && !isAllowedByLink(method)) throw new RpcError(ERROR_CODE.permissionDenied, LINK_READS);
        this.#checkRole(method);
        return parseParams(schema, params);
      },
      handle: (params: Commands[M]['params'], context: RequestContext) => {
        // A result that is not a promise is answered at once and is never in flight.
        const run = () => commands[method](params, this, context);
        const answer = watchedCommand(this.#services, method, params, this.#credential, this.author, run);
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

  #checkRole(method: keyof Commands): void {
    try {
      checkMethod(this.role, method);
    } catch (error) {
      this.#services.watching.counters.commandEnded(method, 'refused');
      this.#services.audit.notAllowed(method, auditActor(this.#credential, this.author), this.#credential.space);
      throw error;
    }
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
        const { data } = CLIENT_NOTIFICATION_SCHEMAS.dispatchAction.safeParse(params, FIRST_ISSUE);
        if (data) return { ...data, isWhole: true } as const;
        // Enough to reject it: a malformed action is echoed to its sender with the reason.
        return { ...parseParams(uncheckedDispatchActionParams, params), isWhole: false } as const;
      },
      handle: (params) => {
        const { hostSessions } = this.#services;
        const { clientSeq, action } = params;
        const refusal = this.shared ? LINK_READS : roleRefusal(this.role, roleForAction(action));
        if (refusal !== undefined) {
          const rejection = { code: 'roleNotAllowed' } as const;
          hostSessions.reject(this, clientSeq, action, { rejectionReason: refusal, rejection });
        } else if (params.isWhole && !isActionKnownToVersion(params.action, this.protocolVersion)) {
          // Its echo would be left out for this client (VER6).
          hostSessions.reject(this, clientSeq, action, refuse('unknownAction'));
        } else if (params.isWhole) hostSessions.dispatch(this.sessions, this, clientSeq, params.action);
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

/** Only an owner may say who uses a device. Of others the host says what it was told when the device was connected. */
function authorOf({ name, user, role }: Credential, clientInfo: ClientInfo | undefined): Omit<Author, 'clientId'> {
  if (name === undefined) return displayName(clientInfo);
  const person = role === 'owner' ? clientInfo?.name : user;
  return person === undefined ? { name } : { name: person, device: name };
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
    context: object,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: Parameters<typeof describeIssues>[0] } };
}

/** Parses params, or throws an error that says which of them is wrong and how. */
function parseParams<T>(schema: Schema<T>, params: unknown): T {
  const parsed = schema.safeParse(params ?? {}, FIRST_ISSUE);
  if (parsed.success) return parsed.data;
  throw new RpcError(ERROR_CODE.invalidParams, describeIssues(parsed.error.issues, 'params'));
}

/** Why no session may accept the action: clients may not dispatch it, or it is not well-formed. */
function shapeRefusal(raw: { readonly type: string }): Refusal {
  if (!isClientDispatchable(raw.type)) {
    return Object.hasOwn(ACTION_INTRODUCED_IN, raw.type) ? refuse('notDispatchable') : refuse('unknownAction');
  }
  const issues = SCHEMAS.ClientAction.safeParse(raw, FIRST_ISSUE).error?.issues ?? [];
  return refuse('invalidAction', { detail: describeIssues(issues, 'action') });
}
