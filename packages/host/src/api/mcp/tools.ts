import type { ClientAction, Commands, RootState, SessionState } from '@agenthost/protocol';
import type { SCHEMAS } from '@agenthost/protocol/schemas';
import * as z from 'zod';
import { callAnswer, messageBody, requestAnswer } from '../apiSchemas.js';
import { Problem } from '../problem.js';
import { readChanges } from './readChanges.js';
import { readSession, told } from './readSession.js';
import { startSession } from './startSession.js';
import type { ToolCall } from './toolCall.js';
import { waitForTurn } from './waitForTurn.js';

export interface McpTool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** The commands that it is made of. The role table says who may send them; the tools have no roles of their own. */
  readonly commands?: readonly (keyof Commands)[];
  /** The actions that it dispatches; what is asked for says which. */
  readonly actions?: readonly ClientAction['type'][];
  /** It waits: its answer is a stream that may take minutes. */
  readonly waits?: true;
  readonly run: (call: ToolCall) => Promise<object>;
}

const MAX_LIST = 100;
const DEFAULT_LIST = 20;
const MAX_MODELS = 50;
const MAX_LINE = 300;

const session = z.string().min(1).max(256).describe('As list_sessions names it, such as "claude:/3f2a…".');
const message = messageBody.shape.text;
const turnId = z.string().min(1).max(256);
const cursor = z.string().min(1).max(1_000).optional().describe('`cursor` of the answer before, for the next page.');
const limit = z.int().min(1).max(MAX_LIST).optional().describe(`How many at the most; ${DEFAULT_LIST} if absent.`);
const agent = z.string().min(1).max(64);
const listed = {
  agent: agent.optional().describe('Only sessions of this agent.'),
  status: z.enum(['idle', 'inProgress', 'inputNeeded', 'error']).optional(),
  isArchived: z.boolean().optional().describe('Only archived ones, or only those that are not.'),
  limit,
  cursor,
};
const { secrets: _, ...answer } = { ...callAnswer.shape, ...requestAnswer.shape };

/** The host as tools for other agents. */
export const MCP_TOOLS = {
  list_agents: {
    title: 'List agents',
    description: 'Lists the agents of this host, whether they are installed and logged in, and their models.',
    input: z.strictObject({}),
    commands: ['subscribe'],
    run: listAgents,
  },
  list_sessions: {
    title: 'List sessions',
    description: 'Lists sessions of agents, the newest first, a page at a time.',
    input: z.strictObject(listed),
    commands: ['listSessions'],
    run: (call) => list(call),
  },
  search_sessions: {
    title: 'Search sessions',
    description: 'Finds sessions whose title, messages, answers or tool output have all words of `text`.',
    input: z.strictObject({
      text: z.string().min(1).max(1_000).describe('Words, or "words in quotes" that stand next to each other.'),
      ...listed,
    }),
    commands: ['listSessions'],
    run: (call) => list(call, { text: call.arg('text') }),
  },
  read_session: {
    title: 'Read a session',
    description:
      'Tells the state of a session, what its agent waits for an answer to, and the newest turns as text. `before` of the answer leads to earlier turns.',
    input: z.strictObject({
      session,
      turns: z.int().min(1).max(50).optional().describe('How many turns at the most; 5 if absent.'),
      before: turnId.optional().describe('Only turns before this one: `before` of the answer before.'),
      maxLength: z.int().min(1_000).max(50_000).optional().describe('Of the text, in characters; 20,000 if absent.'),
    }),
    commands: ['subscribe', 'fetchTurns'],
    run: readSession,
  },
  read_changes: {
    title: 'Read changes',
    description:
      'Lists the files that a session changed in its folder; with `path` the lines that changed in one of them, as a unified diff.',
    input: z.strictObject({
      session,
      path: z.string().min(1).max(4_096).optional().describe("Of a listed file, relative to the session's folder."),
      since: z
        .enum(['lastTurn', 'session', 'base'])
        .optional()
        .describe('Since before the last turn, since before the first (the default), or against the base branch.'),
      cursor,
    }),
    commands: ['listChanges', 'fetchDiff'],
    run: readChanges,
  },
  create_session: {
    title: 'Create a session',
    description: 'Starts a session of an agent, and sends it its first message. wait_for_turn waits for what it does.',
    input: z.strictObject({
      agent: agent.describe('As list_agents names it.'),
      message: message.optional().describe('The first message to the agent.'),
      folder: z.string().min(1).max(4_096).optional().describe('An absolute path on the machine of the host.'),
      model: z.string().min(1).max(256).optional().describe('The id of one of its models.'),
      worktree: z.boolean().optional().describe('It works in a git worktree and on a branch of its own.'),
    }),
    commands: ['createSession'],
    actions: ['session/turnStarted'],
    run: startSession,
  },
  send_message: {
    title: 'Send a message',
    description:
      'Sends a message to the agent of a session, which starts a turn. While one runs, say with `kind` what is to happen.',
    input: z.strictObject({
      session,
      text: message,
      kind: z
        .enum(['turn', 'queued', 'steering'])
        .optional()
        .describe('`queued` waits for the end of the running turn, `steering` goes into it. `turn` if absent.'),
    }),
    actions: ['session/turnStarted', 'session/pendingMessageSet'],
    run: async (call) => {
      const { session } = call;
      await call.mayDrive(session);
      const kind = call.arg('kind');
      const body = { text: call.arg('text'), ...(kind !== undefined && { kind }) };
      return call.run('sendMessage', { path: { session }, body });
    },
  },
  wait_for_turn: {
    title: 'Wait for a turn',
    description:
      'Waits until a turn has ended or its agent asks something, and tells what it answered. Without `turnId` until the session has nothing left to do.',
    input: z.strictObject({
      session,
      turnId: turnId.optional().describe('As create_session or send_message told it.'),
      seconds: z.number().min(0).max(600).optional().describe('How long at the most; 50 if absent.'),
    }),
    commands: ['subscribe', 'fetchTurns'],
    waits: true,
    run: waitForTurn,
  },
  answer_question: {
    title: 'Answer a question',
    description:
      'Answers what the agent of another session asks, or allows or denies a tool call of it. read_session tells the ids. An agent answers only for sessions that it has started, never for its own.',
    input: z.strictObject({ session, turnId, ...optional(answer) }),
    actions: ['session/toolCallConfirmed', 'session/permissionResolved'],
    run: async (call) => {
      const { session } = call;
      await call.mayDrive(session);
      const { session: _session, turnId, ...body } = call.options.args;
      await call.run('answerQuestion', { path: { session, turnId: String(turnId) }, body });
      return { answered: true };
    },
  },
  cancel: {
    title: 'Cancel a turn',
    description: 'Ends the turn that runs in a session. With `holdQueue` messages that wait are not sent.',
    input: z.strictObject({ session, turnId: turnId.optional(), holdQueue: z.literal(true).optional() }),
    commands: ['subscribe'],
    actions: ['session/turnCancelled'],
    run: async (call) => {
      const { session } = call;
      await call.mayDrive(session);
      const turnId = call.arg<string | undefined>('turnId') ?? runningIn(await call.stateOf(session));
      const body = call.arg('holdQueue') ? { holdQueue: true } : {};
      await call.run('cancelTurn', { path: { session, turnId }, body });
      return { cancelled: turnId };
    },
  },
} as const satisfies Readonly<Record<string, McpTool>>;

/** Whether it only reads. Then a repeated call does no harm. */
export function isRead({ commands = [], actions = [] }: McpTool): boolean {
  return actions.length === 0 && !commands.includes('createSession');
}

export function findTool(name: string): McpTool | undefined {
  return Object.hasOwn(MCP_TOOLS, name) ? MCP_TOOLS[name as keyof typeof MCP_TOOLS] : undefined;
}

function optional(shape: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, type.optional()]));
}

async function list(call: ToolCall, more: Readonly<Record<string, unknown>> = {}): Promise<object> {
  const { agent: provider, limit = DEFAULT_LIST, ...rest } = call.options.args;
  const query = { ...rest, ...more, limit, ...(provider !== undefined && { provider }) };
  const page = await call.run<z.infer<typeof SCHEMAS.ListSessionsResult>>('listSessions', { query });
  return {
    total: page.total,
    sessions: page.items.map((summary) => {
      const found = page.snippets?.[summary.resource];
      return { ...told(summary), ...(found !== undefined && { found: found.slice(0, MAX_LINE) }) };
    }),
    ...(page.nextCursor !== undefined && { cursor: page.nextCursor }),
  };
}

async function listAgents(call: ToolCall): Promise<object> {
  const { items } = await call.run<{ readonly items: RootState['agents'] }>('listAgents', {});
  return {
    agents: items.map(({ provider, displayName, description, models, availability, login }) => ({
      agent: provider,
      name: displayName,
      description: description.slice(0, MAX_LINE),
      availability: availability.state,
      ...(availability.state === 'unavailable' && { howToFix: availability.howToFix.slice(0, MAX_LINE) }),
      ...(login && { login: login.state }),
      models: models.slice(0, MAX_MODELS).map(({ id }) => id),
      ...(models.length > MAX_MODELS && { moreModels: models.length - MAX_MODELS }),
    })),
  };
}

function runningIn({ activeTurn }: SessionState): string {
  if (activeTurn) return activeTurn.id;
  throw new Problem(409, 'noSuchTurn', 'No turn runs in this session.', { whatToDo: 'There is nothing to cancel.' });
}
