import type { ServerResponse } from 'node:http';
import { type ActionEnvelope, CLOSE_CODE, ERROR_CODE } from '@agenthost/protocol';
import { rejectionOf } from '@agenthost/protocol/internal';
import { ConnectionClosedError, LocalRpcError, RequestTimeoutError, RpcError } from '@agenthost/rpc';

interface ProblemOptions {
  /** What to do about it, ready to display. */
  readonly whatToDo: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** More for programs. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/** An error as HTTP answers it: `application/problem+json`. */
export class Problem extends Error {
  readonly status: number;
  /** For programs; it never changes its meaning. */
  readonly code: string;
  readonly options: ProblemOptions;

  constructor(status: number, code: string, detail: string, options: ProblemOptions) {
    super(detail);
    this.status = status;
    this.code = code;
    this.options = options;
  }
}

export function sendProblem(response: ServerResponse, problem: Problem): void {
  const { status, code, message, options } = problem;
  if (response.headersSent) return void response.destroy();
  const body = {
    type: `urn:agenthost:problem:${code}`,
    title: TITLES[status] ?? 'Error',
    status,
    code,
    detail: message,
    whatToDo: options.whatToDo,
    ...options.data,
  };
  response
    .writeHead(status, { 'content-type': 'application/problem+json', ...options.headers })
    .end(`${JSON.stringify(body)}\n`);
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  413: 'Too large',
  415: 'Unsupported media type',
  416: 'Range not satisfiable',
  422: 'Not acceptable in this state',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Not available',
  504: 'No answer in time',
};

type Row = readonly [status: number, code: string, whatToDo: string];

const READ_AGAIN = 'Read the session again, and decide anew.';
const LATER = 'Try again in a moment; with an Idempotency-Key it happens once.';

const COMMAND_ERRORS: Readonly<Record<number, Row>> = {
  [ERROR_CODE.invalidRequest]: [400, 'invalidRequest', 'Look into /api/openapi.json for what this route takes.'],
  [ERROR_CODE.invalidParams]: [400, 'invalidRequest', 'Look into /api/openapi.json for what this route takes.'],
  [ERROR_CODE.tooManyRequests]: [429, 'tooManyRequests', 'Wait for answers before you send more.'],
  [ERROR_CODE.sessionNotFound]: [404, 'sessionNotFound', 'List the sessions: it may have been deleted.'],
  [ERROR_CODE.noAgentForProvider]: [422, 'noAgentForProvider', 'List the agents with GET /api/v1/agents.'],
  [ERROR_CODE.sessionAlreadyExists]: [409, 'sessionAlreadyExists', 'Choose another id, or leave it out.'],
  [ERROR_CODE.turnInProgress]: [409, 'turnInProgress', 'Wait for the end of the turn.'],
  [ERROR_CODE.contentNotFound]: [404, 'contentNotFound', READ_AGAIN],
  [ERROR_CODE.notFound]: [404, 'notFound', READ_AGAIN],
  [ERROR_CODE.permissionDenied]: [403, 'permissionDenied', 'Ask the owner of the host for a token with more rights.'],
  [ERROR_CODE.alreadyExists]: [409, 'alreadyExists', READ_AGAIN],
  [ERROR_CODE.sessionFsUnavailable]: [503, 'storageUnavailable', LATER],
};

const REJECTIONS: Readonly<Record<string, Row>> = {
  roleNotAllowed: [403, 'permissionDenied', 'Ask the owner of the host for a token with more rights.'],
  unknownSession: [404, 'sessionNotFound', 'List the sessions: it may have been deleted.'],
  invalidAction: [400, 'invalidRequest', 'Look into /api/openapi.json for what this route takes.'],
  turnInProgress: [409, 'turnInProgress', 'Wait for its end, or send the message with "kind": "queued".'],
  sessionNotReady: [409, 'sessionNotReady', 'Wait until its `lifecycle` is `ready`.'],
  clientSeqUsed: [409, 'idempotencyKeyUsed', 'Use another Idempotency-Key for another request.'],
  notStored: [503, 'notStored', LATER],
  notChecked: [503, 'notChecked', LATER],
  diskFull: [503, 'diskFull', 'Free some room on the disk of the host.'],
  contentBusy: [503, 'contentBusy', LATER],
  machineAway: [503, 'machineAway', 'Start a host on the machine of the session.'],
  sessionNotOpened: [503, 'sessionNotOpened', LATER],
};

/** Why an action was refused. */
export function rejectionProblem(envelope: ActionEnvelope): Problem {
  const rejection = rejectionOf(envelope);
  const code = rejection?.code ?? 'refused';
  const [status, name, whatToDo] = REJECTIONS[code] ?? [409, code, READ_AGAIN];
  const by = rejection?.by && { by: rejection.by };
  const field = rejection?.field !== undefined && { field: rejection.field };
  return new Problem(status, name, envelope.rejectionReason ?? 'The host refused it.', {
    whatToDo,
    data: { ...by, ...field },
  });
}

/** Whatever went wrong, as an answer; `undefined` for what is a fault of the host. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof RpcError) return ofCommand(error);
  if (error instanceof ConnectionClosedError) return ofClose(error);
  if (error instanceof RequestTimeoutError) return noAnswer();
  if (error instanceof LocalRpcError) return new Problem(503, 'notAvailable', error.message, { whatToDo: LATER });
  return undefined;
}

export function noAnswer(): Problem {
  return new Problem(504, 'noAnswer', 'The host did not finish this in time; it may still happen.', {
    whatToDo: LATER,
  });
}

export function internalProblem(): Problem {
  return new Problem(500, 'internalError', 'The host could not do this.', {
    whatToDo: 'Look into the log of the host.',
  });
}

function ofCommand({ code, message, data }: RpcError): Problem {
  const more = (data ?? {}) as { readonly code?: string; readonly whatToDo?: string };
  const row = COMMAND_ERRORS[code];
  if (!row) return internalProblem();
  const [status, name, whatToDo] = row;
  return new Problem(status, more.code ?? name, message, {
    whatToDo: more.whatToDo ?? whatToDo,
    ...(status === 429 && { headers: { 'retry-after': '1' } }),
  });
}

function ofClose({ reason }: ConnectionClosedError): Problem {
  if (reason.code === CLOSE_CODE.unauthorized)
    return new Problem(401, 'unauthorized', `The token does not count any more: ${reason.message}.`, {
      whatToDo: 'Send a token that counts.',
      headers: { 'www-authenticate': 'Bearer' },
    });
  return new Problem(503, 'notAvailable', `The host ended this: ${reason.message}.`, {
    whatToDo: LATER,
    headers: { 'retry-after': '1' },
  });
}
