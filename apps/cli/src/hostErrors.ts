import {
  ActionRejectedError,
  ClientError,
  CommandFailedError,
  ConnectionLostError,
  HostUnreachableError,
  SessionGoneError,
  UnauthorizedError,
} from '@agenthost/client';
import { ERROR_CODE } from '@agenthost/protocol';
import type { ErrorData, RoleRefusedData } from '@agenthost/protocol/internal';
import { CommandError, EXIT } from './commandError.js';

/** Of commands about changes of files: what they are about is not there. */
const NOTHING_THERE: ReadonlySet<string> = new Set([
  ...['noGit', 'tooOld', 'noRepository', 'notFound', 'nothing', 'noRemote'],
]);

/** Errors of the SDK as two lines for the user. */
export function commandErrorOf(error: unknown, { origin }: URL): unknown {
  if (!(error instanceof ClientError)) return error;
  const as = (exitCode: number, what: string, whatToDo: string) =>
    new CommandError(exitCode, oneLine(what), whatToDo, { cause: error });
  if (isDiskFull(error)) {
    return as(
      EXIT.failed,
      'The host could not store it: its disk is full.',
      "Free some space on the host's disk, then run it again.",
    );
  }
  if (error instanceof HostUnreachableError) {
    return as(
      EXIT.noHost,
      `The host can't be reached: ${error.detail}.`,
      'Is it running? Start one with agenthost serve; agenthost doctor looks further.',
    );
  }
  if (error instanceof UnauthorizedError) {
    return as(
      EXIT.unauthorized,
      `The host at ${origin} refused the token.`,
      "Give the current one with --token or $AGENTHOST_TOKEN; on the host's machine, agenthost token show tells it.",
    );
  }
  if (
    error instanceof SessionGoneError ||
    (error instanceof CommandFailedError && error.code === ERROR_CODE.sessionNotFound)
  ) {
    const session = error instanceof SessionGoneError ? ` ${error.session}` : '';
    return as(
      EXIT.notFound,
      `The host has no session${session} (any more).`,
      'List all sessions with agenthost ls --all.',
    );
  }
  if (error instanceof ConnectionLostError) {
    return as(
      EXIT.noHost,
      `The connection to ${origin} was lost.`,
      'See whether the host runs, with agenthost doctor, then look with agenthost ls before you repeat it.',
    );
  }
  if (error instanceof CommandFailedError && error.code === ERROR_CODE.noAgentForProvider) {
    return as(EXIT.notFound, `${capital(error.reason)}.`, 'See which agents there are with agenthost doctor.');
  }
  if (error instanceof CommandFailedError && isRoleRefusal(error)) {
    return as(EXIT.unauthorized, error.reason, "On the host's machine: agenthost token add --help.");
  }
  if (error instanceof CommandFailedError && NOTHING_THERE.has((error.data as ErrorData | undefined)?.code ?? '')) {
    return as(EXIT.notFound, error.reason, 'See what there is with agenthost changes and agenthost log.');
  }
  if (error instanceof CommandFailedError) {
    return as(EXIT.failed, `The host refused it: ${error.reason}.`, 'Change what was asked for, then run it again.');
  }
  if (error instanceof ActionRejectedError) {
    return as(
      EXIT.failed,
      `The host refused it: ${error.reason}.`,
      'Look at the session with agenthost log, then decide again.',
    );
  }
  return as(EXIT.failed, `${capital(error.what)}.`, `${capital(error.whatToDo ?? 'run it again with --debug')}.`);
}

function isRoleRefusal({ code, data }: CommandFailedError): boolean {
  const needs = (data as Partial<RoleRefusedData> | undefined)?.needs;
  return code === ERROR_CODE.permissionDenied && typeof needs === 'string';
}

function isDiskFull(error: ClientError): boolean {
  if (error instanceof ActionRejectedError) return error.rejection.code === 'diskFull';
  return error instanceof CommandFailedError && (error.data as ErrorData | undefined)?.code === 'diskFull';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\.{2,}$/, '.');
}
