import { RequestError } from '@agentclientprotocol/sdk';
import { type ErrorInfo, LOGIN_REQUIRED } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { loginRequiredText } from '../agentLogin.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';

const AUTH_REQUIRED = -32000;
const MAX_DETAILS = 2_000;

/** A failure of an agent, as a sentence that the user can act on. */
export class AcpFailure extends Error {
  readonly errorType: string;

  constructor(errorType: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'AcpFailure';
    this.errorType = errorType;
  }
}

/** Makes the sentence for an error answer of an agent. */
export function acpFailure(
  error: unknown,
  agent: Pick<AcpAgentSpec, 'displayName' | 'provider' | 'login' | 'loginProgram' | 'key'>,
): AcpFailure {
  if (error instanceof AcpFailure) return error;
  if (!(error instanceof RequestError)) {
    const message = errorMessage(error);
    return new AcpFailure('agentFailed', `${agent.displayName} failed: ${message}`, { cause: error });
  }
  if (error.code === AUTH_REQUIRED) {
    const said = error.message === 'Authentication required' ? '' : error.message;
    const canLogIn = agent.loginProgram !== undefined || agent.key !== undefined;
    const words = said === '' ? '' : ` It says: ${said}`;
    const message = canLogIn
      ? loginRequiredText(agent, said)
      : `${agent.displayName} needs a log-in. ${agent.login}${words}`;
    return new AcpFailure(LOGIN_REQUIRED, message, { cause: error });
  }
  const details = detailsOf(error.data);
  const message = `${agent.displayName} answered with an error: ${error.message}${details ? ` (${details})` : ''}`;
  return new AcpFailure('agentError', message, { cause: error });
}

export function errorInfo({ errorType, message }: AcpFailure): ErrorInfo {
  return { errorType, message };
}

function detailsOf(data: unknown): string {
  if (data === undefined || data === null) return '';
  const details = typeof data === 'object' && 'details' in data ? data.details : data;
  const text = typeof details === 'string' ? details : JSON.stringify(details);
  return (text ?? '').slice(0, MAX_DETAILS);
}
