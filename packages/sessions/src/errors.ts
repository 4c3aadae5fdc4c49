import { errorMessage } from '@agenthost/protocol/internal';

interface Cause {
  readonly cause?: unknown;
}

/** Every error of this package. `name` or `instanceof` is for programs; the message says what happened and what to do. */
export abstract class SessionsError extends Error {
  abstract override readonly name: string;
}

/** The text is not a session id. */
export class InvalidSessionIdError extends SessionsError {
  override readonly name = 'InvalidSessionIdError';

  constructor(sessionId: unknown) {
    const shown = JSON.stringify(sessionId)?.slice(0, 200);
    super(`${shown} is no session id; one is <provider>:<id>, as in session.sessionId`);
  }
}

/** The caller asked for something that is not there (any more). */
export class SessionNotFoundError extends SessionsError {
  override readonly name = 'SessionNotFoundError';

  constructor(what: string) {
    super(`there is no ${what} (any more); look at the list again`);
  }
}

/** What was asked for can't be done with this session, ever or now. */
export class NotSupportedError extends SessionsError {
  override readonly name = 'NotSupportedError';
}

/** Two providers say that the resource is theirs; the id of the session says which one is meant. */
export class AmbiguousResourceError extends SessionsError {
  override readonly name = 'AmbiguousResourceError';

  constructor(resource: string, providerIds: readonly string[]) {
    super(`${resource} is a session of ${providerIds.join(' and of ')}; use the session's id to say which`);
  }
}

/** Something about one provider. `providerId` and the message name it. */
export abstract class ProviderError extends SessionsError {
  readonly providerId: string;

  constructor(providerId: string, message: string, options: Cause = {}) {
    super(message, options);
    this.providerId = providerId;
  }
}

/** Registering went wrong: an id that can't be one, or that is taken. */
export class ProviderRegistrationError extends ProviderError {
  override readonly name = 'ProviderRegistrationError';
}

/** No provider with this id is registered. */
export class ProviderNotFoundError extends ProviderError {
  override readonly name = 'ProviderNotFoundError';

  constructor(providerId: string) {
    super(providerId, `there is no provider ${JSON.stringify(providerId)}; register it, or look at the list again`);
  }
}

/** The provider threw, or gave back what makes no sense; what it threw is the cause. */
export class ProviderFailedError extends ProviderError {
  override readonly name = 'ProviderFailedError';

  constructor(providerId: string, action: string, cause: unknown) {
    super(providerId, `${action} failed at the provider ${providerId}: ${errorMessage(cause)}`, { cause });
  }
}

/** The provider did not answer in time. */
export class ProviderTimeoutError extends ProviderError {
  override readonly name = 'ProviderTimeoutError';

  constructor(providerId: string, action: string, timeoutMs: number) {
    super(
      providerId,
      `the provider ${providerId} did not answer ${action} within ${timeoutMs} ms; it may still do it, so look before you repeat it`,
    );
  }
}

/** The provider was unregistered before it had answered. */
export class ProviderUnregisteredError extends ProviderError {
  override readonly name = 'ProviderUnregisteredError';

  constructor(providerId: string, action: string) {
    super(
      providerId,
      `the provider ${providerId} was unregistered before it had answered ${action}; it may still do it, so look before you repeat it`,
    );
  }
}

/** Somebody else has answered a prompt first; the own answer was not used. */
export class AnsweredElsewhereError extends SessionsError {
  override readonly name = 'AnsweredElsewhereError';
  /** Who, as far as the host says it. */
  readonly who: string | undefined;
  readonly outcome: 'allowed' | 'denied' | 'answered';

  constructor(who: string | undefined, outcome: AnsweredElsewhereError['outcome']) {
    const did = { allowed: 'allowed it', denied: 'denied it', answered: 'answered it' }[outcome];
    super(`${who ?? 'Somebody'} was faster and ${did}. Your answer wasn't used.`);
    this.who = who;
    this.outcome = outcome;
  }
}
