import { type AgentLogin, LOGIN_REQUIRED } from '@agenthost/protocol';

/**
 * How a person logs in to an agent.
 *
 * Contract:
 * - `facts` is cheap and starts nothing. `check` may start the agent or one of its programs, without a message to a model.
 * - `program` is the agent's own. It runs in a terminal with exactly the given environment, and ends with 0 when it succeeded.
 * - A key that the host keeps reaches the agent in the variable `key.variable`, and no other agent.
 */
export interface AgentLoginSupport {
  readonly key?: AgentKeySupport | undefined;
  /** `undefined` when the agent needs no log-in as it is configured. */
  facts(): Promise<LoginFacts | undefined>;
  check(signal: AbortSignal): Promise<'ready' | 'needed' | 'unknown'>;
  program(what: 'login' | 'logout'): Promise<LoginProgram | undefined>;
}

/** What is known of a log-in. Without `state` it is unknown whether it works. */
export interface LoginFacts extends Omit<AgentLogin, 'state'> {
  readonly state?: 'ready' | 'needed' | undefined;
}

export interface LoginProgram {
  readonly path: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** For people. */
  readonly shown: string;
}

export interface AgentKeySupport {
  readonly variable: string;
  /** How the vendor is asked whether a key works. Without it, a key is kept unchecked. */
  readonly check?: KeyCheck | undefined;
  /** The agent's own method that uses the key, for agents that have to be told. */
  readonly authMethod?: string | undefined;
}

/** A request that costs nothing and that the vendor answers with 2xx for a key that works. */
export interface KeyCheck {
  readonly url: string;
  /** The header with the key. With `authorization` the key is a bearer token. */
  readonly header: 'authorization' | 'x-api-key' | 'x-goog-api-key';
  readonly headers?: Readonly<Record<string, string>>;
}

/** The agent can't work because nobody is logged in to it. The turn fails with this, not the session. */
export class LoginRequiredError extends Error {
  readonly errorType = LOGIN_REQUIRED;

  constructor(
    agent: { readonly displayName: string; readonly provider: string },
    said?: string,
    options?: ErrorOptions,
  ) {
    super(loginRequiredText(agent, said), options);
    this.name = 'LoginRequiredError';
  }
}

export function loginRequiredText(
  { displayName, provider }: { readonly displayName: string; readonly provider: string },
  said?: string,
): string {
  const words = said === undefined || said === '' ? '' : ` It says: ${said}`;
  return `${displayName} needs a log-in. Log in on the page or with "agenthost agents login ${provider}"; then the message is sent again.${words}`;
}

export function isLoginRequired(error: unknown): boolean {
  return error instanceof Error && 'errorType' in error && error.errorType === LOGIN_REQUIRED;
}
