import { RequestError } from '@agentclientprotocol/sdk';
import { CommandFailedError, SessionGoneError } from '@agenthost/client';
import { ERROR_CODE, LOGIN_REQUIRED, type Turn } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { CommandError } from '../commandError.js';
import { commandErrorOf } from '../hostErrors.js';
import { safeLine } from '../text/safeText.js';

const MAX_TEXT = 2_000;

/** What an editor shows: what happened, and what to do. */
export function requestErrorOf(error: unknown, url: URL): RequestError {
  if (error instanceof RequestError) return error;
  const { code } =
    error instanceof SessionGoneError ||
    (error instanceof CommandFailedError && error.code === ERROR_CODE.sessionNotFound)
      ? RequestError.resourceNotFound()
      : RequestError.internalError();
  const told = commandErrorOf(error, url);
  const text = told instanceof CommandError ? `${told.message} ${told.whatToDo}` : errorMessage(error);
  return new RequestError(code, safeLine(text).slice(0, MAX_TEXT));
}

/** Why a turn has failed. */
export function turnErrorOf({ error }: Pick<Turn, 'error'>): RequestError {
  const text = safeLine(error?.message ?? 'The turn failed.').slice(0, MAX_TEXT);
  const isLogin = error?.errorType === LOGIN_REQUIRED;
  return new RequestError((isLogin ? RequestError.authRequired() : RequestError.internalError()).code, text);
}
