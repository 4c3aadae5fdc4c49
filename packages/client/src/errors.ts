import {
  CLOSE_CODE,
  type ClientAction,
  type ErrorInfo,
  REJECTION,
  type Rejection,
  type RejectionCode,
  type URI,
} from '@agenthost/protocol';
import type { CloseReason } from '@agenthost/rpc';

interface Cause {
  readonly cause?: unknown;
}

/** Every error of this package. Programs look at `name` or `instanceof` and at the fields; the message is for people. */
export abstract class ClientError extends Error {
  abstract override readonly name: string;
  /** What happened, and what to do about it: the two halves of the message. */
  readonly what: string;
  readonly whatToDo: string | undefined;

  constructor(what: string, whatToDo: string | undefined, options: Cause = {}) {
    super(whatToDo === undefined ? what : `${what}; ${whatToDo}`, options);
    this.what = what;
    this.whatToDo = whatToDo;
  }
}

/** No connection could be made. */
export class HostUnreachableError extends ClientError {
  override readonly name = 'HostUnreachableError';
  readonly detail: string;

  constructor(detail: string, options: Cause = {}) {
    super(`the host can't be reached: ${detail}`, 'check that it runs, and its address', options);
    this.detail = detail;
  }
}

/** Not retried: the same credential would be refused again. */
export class UnauthorizedError extends ClientError {
  override readonly name = 'UnauthorizedError';

  constructor(detail: string, options: Cause = {}) {
    super(`the host refused the credential: ${detail}`, 'get a current token and connect again', options);
  }
}

/** The host does not allow pages of this origin. Not retried: only the host's operator can change that. */
export class OriginRefusedError extends ClientError {
  override readonly name = 'OriginRefusedError';
  /** What the host says: one sentence with the flag that allows this page. */
  readonly reason: string;

  constructor(reason: string, options: Cause = {}) {
    super('the host does not allow this page', reason, options);
    this.reason = reason;
  }
}

/** The host and this client have no protocol version in common. */
export class UnsupportedVersionError extends ClientError {
  override readonly name = 'UnsupportedVersionError';
  /** What the host speaks, as far as it said. */
  readonly hostVersions: readonly number[];
  readonly clientVersion: number;

  constructor(clientVersion: number, hostVersions: readonly number[], options: Cause = {}) {
    const spoken = hostVersions.length > 0 ? `version ${hostVersions.join(', ')}` : 'other versions';
    const older = hostVersions.every((version) => version < clientVersion) ? 'host' : 'client';
    super(
      `the host speaks ${spoken} of the protocol, this client ${clientVersion}`,
      `update the ${hostVersions.length > 0 ? older : 'older of the two'}`,
      options,
    );
    this.clientVersion = clientVersion;
    this.hostVersions = hostVersions;
  }
}

/** The host does not let this client keep the sessions' files. */
export class SessionFsRefusedError extends ClientError {
  override readonly name = 'SessionFsRefusedError';

  constructor(reason: string, options: Cause = {}) {
    super(`the host does not take this client's file system: ${reason}`, undefined, options);
  }
}

/** Another connection uses the same `clientId`. Not retried: each would end the other. */
export class ReplacedError extends ClientError {
  override readonly name = 'ReplacedError';

  constructor(clientId: string, options: Cause = {}) {
    super(
      `another connection took over as client ${clientId}`,
      'give each page or process its own clientId, or retry to take it back',
      options,
    );
  }
}

/** A command got no answer because the connection was lost, or could not be sent for the lack of one. */
export class ConnectionLostError extends ClientError {
  override readonly name = 'ConnectionLostError';
  /** `true`: the host may have done it; look before you repeat it. `false`: it was never sent. */
  readonly sent: boolean;

  constructor(what: string, sent: boolean, options: Cause = {}) {
    super(
      sent
        ? `the connection was lost before ${what} was answered`
        : `there was no connection for ${what}, which was not sent`,
      sent ? 'the host may have done it, so look before repeating it' : 'try again when the host is connected',
      options,
    );
    this.sent = sent;
  }
}

/** The client or the handle was closed. */
export class ClientClosedError extends ClientError {
  override readonly name = 'ClientClosedError';

  constructor(what = 'this client', options: Cause = {}) {
    super(`${what} was closed`, 'open it again to go on', options);
  }
}

/** The host refused an action; its predicted effect is gone from the state. */
export class ActionRejectedError extends ClientError {
  override readonly name = 'ActionRejectedError';
  /** Why, as a text for people. */
  readonly reason: string;
  /** Why, for programs: `code` is one of `REJECTION` of the protocol, or that of a check in this client. */
  readonly rejection: Rejection;
  readonly action: Pick<ClientAction, 'type'>;

  constructor(reason: string, rejection: Rejection, action: Pick<ClientAction, 'type'>, options: Cause = {}) {
    super(`${action.type} was refused: ${reason}`, "look at the session's state and decide again", options);
    this.reason = reason;
    this.rejection = rejection;
    this.action = action;
  }
}

/** The refusal that the host would send, for an action that this client knows to be void. */
export function rejected(code: RejectionCode, type: ClientAction['type']): ActionRejectedError {
  return new ActionRejectedError(REJECTION[code], { code }, { type });
}

/** The host answered a command with an error. `code` is one of `ERROR_CODE` of the protocol. */
export class CommandFailedError extends ClientError {
  override readonly name = 'CommandFailedError';
  readonly method: string;
  readonly code: number;
  /** The host's message. */
  readonly reason: string;
  readonly data: unknown;

  constructor(method: string, code: number, reason: string, data?: unknown, options: Cause = {}) {
    super(`${method} failed: ${reason} (${code})`, undefined, options);
    this.method = method;
    this.reason = reason;
    this.code = code;
    this.data = data;
  }
}

/** The host did not answer a command in time. */
export class CommandTimeoutError extends ClientError {
  override readonly name = 'CommandTimeoutError';
  readonly method: string;

  constructor(method: string, timeoutMs: number, options: Cause = {}) {
    super(`the host did not answer ${method} within ${timeoutMs} ms`, 'try again, or give it more time', options);
    this.method = method;
  }
}

/** The host has no such session, or no longer. */
export class SessionGoneError extends ClientError {
  override readonly name = 'SessionGoneError';
  readonly session: URI;

  constructor(session: URI, options: Cause = {}) {
    super(`the host has no session ${session} (any more)`, 'list the sessions again', options);
    this.session = session;
  }
}

/** An action was for a session that was disposed and made again under its URI before the host took it. */
export class SessionRemadeError extends ClientError {
  override readonly name = 'SessionRemadeError';
  readonly session: URI;

  constructor(session: URI, options: Cause = {}) {
    super(
      `the session ${session} was disposed and made again`,
      'what was sent to the old one is not sent to the new one: look at that, and decide again',
      options,
    );
    this.session = session;
  }
}

/** The agent of a new session did not start. */
export class SessionCreationError extends ClientError {
  override readonly name = 'SessionCreationError';
  readonly session: URI;
  readonly error: ErrorInfo;

  constructor(session: URI, error: ErrorInfo) {
    super(`the agent of ${session} did not start: ${error.message}`, 'dispose the session and create another one');
    this.session = session;
    this.error = error;
  }
}

/** The host is too old for this command or action. */
export class CapabilityMissingError extends ClientError {
  override readonly name = 'CapabilityMissingError';

  constructor(what: string, hostVersion: number) {
    super(`the host speaks version ${hostVersion} of the protocol, which has no ${what}`, 'update the host to use it');
  }
}

/** Something that waits for the host is full; nothing was sent. */
export class LimitReachedError extends ClientError {
  override readonly name = 'LimitReachedError';

  constructor(what: string) {
    super(what, 'wait until the host has answered');
  }
}

/** The host has codes of its own for why it refuses; what stands in front of it may only have this one. */
const POLICY_VIOLATION = 1008;

/** The error of a close that retrying can't fix; undefined for every other close. */
export function closeError({ code, message }: CloseReason, clientId = 'the same'): ClientError | undefined {
  switch (code) {
    case POLICY_VIOLATION:
    case CLOSE_CODE.unauthorized:
      return new UnauthorizedError(message);
    case CLOSE_CODE.originRefused:
      return new OriginRefusedError(message);
    case CLOSE_CODE.replaced:
      return new ReplacedError(clientId);
    default:
      return undefined;
  }
}
