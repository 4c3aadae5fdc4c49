import { parseSessionUri, type SessionState, type SessionSummary, type URI } from '@agenthost/protocol';
import { describeIssues, FIRST_ISSUE } from '../../describeIssues.js';
import type { ApiOperation } from '../../server/apiRoutes.js';
import { ApiCall, sessionOf } from '../apiCall.js';
import type { InProcessClient } from '../inProcessClient.js';
import { OPERATIONS, type Operation } from '../operations.js';
import { Problem } from '../problem.js';
import type { SessionQuota } from './sessionQuota.js';

interface ToolCallOptions {
  readonly client: InProcessClient;
  /** Whose token it is. */
  readonly tokenId: string;
  /** The session whose agent calls; `undefined` for a program that is no agent of this host. */
  readonly caller: URI | undefined;
  readonly quota: SessionQuota;
  readonly args: Readonly<Record<string, unknown>>;
  readonly seed: string;
  readonly mayBeDone: boolean;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  readonly progress: (message: string) => Promise<void>;
}

interface Form {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** One call of a tool. What it does are operations of HTTP for scripts, and commands of the protocol. */
export class ToolCall {
  readonly options: ToolCallOptions;

  constructor(options: ToolCallOptions) {
    this.options = options;
  }

  get client(): InProcessClient {
    return this.options.client;
  }

  /** Checked by the schema of the tool. */
  arg<T>(name: string): T {
    return this.options.args[name] as T;
  }

  get session(): URI {
    return sessionOf(this.arg<string>('session'));
  }

  /** The answer of an operation, whose own schema checks what it is given. */
  async run<T>(name: ApiOperation, { path = {}, query = {}, body }: Form): Promise<T> {
    const operation: Operation = OPERATIONS[name];
    const parsed = operation.body?.safeParse(body, FIRST_ISSUE);
    if (parsed && !parsed.success)
      throw new Problem(400, 'invalidRequest', `${describeIssues(parsed.error.issues, 'arguments')}.`, {
        whatToDo: 'Look at the schema of the tool.',
      });
    const { client, seed, mayBeDone } = this.options;
    const call = new ApiCall({ path, query, body: parsed?.data, client, seed, mayBeDone });
    return (await operation.run?.(call))?.body as T;
  }

  async stateOf(session: URI): Promise<SessionState> {
    const { state } = await this.client.request('subscribe', { resource: session, turns: 1 });
    return state as SessionState;
  }

  /** An agent drives the sessions that it has started, itself or through others, and no other one: never its own. */
  async mayDrive(session: URI): Promise<void> {
    const { caller } = this.options;
    if (caller === undefined) return;
    if (isSame(session, caller))
      throw new Problem(403, 'ownSession', 'This is the session of the agent that calls.', {
        whatToDo: 'A person has to do this: in the page, or with another client.',
      });
    const { summary } = await this.stateOf(session);
    if (startOf(summary)?.sessions.some((one) => isSame(one, caller))) return;
    throw new Problem(403, 'notStartedByCaller', 'The agent of a session drives only sessions that it has started.', {
      whatToDo: 'Read it with read_session, or let a person do this.',
    });
  }
}

/** How a session was started over MCP: `metadata.startedBy`. */
export interface Start {
  /** The sessions whose agents started one another, from the first to the one that started it. Empty when no agent did. */
  readonly sessions: readonly URI[];
  /** How many starts led to it, its own included. */
  readonly depth: number;
  /** Of the request that made it, so that a repeated one finds it. */
  readonly request?: string;
}

const MAX_SESSIONS = 16;

/** What a client wrote: it counts only where it has the form. */
export function startOf({ metadata }: Pick<SessionSummary, 'metadata'>): Start | undefined {
  const { sessions, depth, request } = Object(metadata?.['startedBy']) as Record<keyof Start, unknown>;
  if (!Array.isArray(sessions) || sessions.length > MAX_SESSIONS || !Number.isSafeInteger(depth)) return undefined;
  if (!sessions.every((one) => typeof one === 'string')) return undefined;
  return { sessions, depth: depth as number, ...(typeof request === 'string' && { request }) };
}

/** The id of a session is the name of its folder, whatever agent its URI names. */
function isSame(one: URI, other: URI): boolean {
  return parseSessionUri(one)?.sessionId === parseSessionUri(other)?.sessionId;
}
