import type { ClientAction, Commands } from '@agenthost/protocol';

export const API_PREFIX = '/api/';
export const OPENAPI_PATH = '/api/openapi.json';
/** The host as tools for other agents, over MCP. */
export const MCP_PATH = '/mcp';

export interface ApiRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the names of its parameters in braces. */
  readonly path: string;
  /** The commands that it is made of. The role table says who may send them; the API has no rules of its own. */
  readonly commands?: readonly (keyof Commands)[];
  /** The actions that it may dispatch; what is asked for says which. */
  readonly actions?: readonly ClientAction['type'][];
}

const SESSION = '/api/v1/sessions/{session}';
const TURN = `${SESSION}/turns/{turnId}`;

/** Every route of the API, by the name of its operation. What they take and answer is loaded with the first request. */
export const API_ROUTES = {
  listSessions: { method: 'GET', path: '/api/v1/sessions', commands: ['listSessions'] },
  createSession: { method: 'POST', path: '/api/v1/sessions', commands: ['createSession'] },
  readSession: { method: 'GET', path: SESSION, commands: ['subscribe'] },
  changeSession: {
    method: 'PATCH',
    path: SESSION,
    actions: ['session/titleChanged', 'session/isArchivedChanged', 'session/isReadChanged'],
  },
  deleteSession: { method: 'DELETE', path: SESSION, commands: ['disposeSession'] },
  listTurns: { method: 'GET', path: `${SESSION}/turns`, commands: ['fetchTurns'] },
  listParts: { method: 'GET', path: `${TURN}/parts`, commands: ['fetchParts'] },
  cancelTurn: { method: 'POST', path: `${TURN}/cancel`, actions: ['session/turnCancelled'] },
  answerQuestion: {
    method: 'POST',
    path: `${TURN}/answers`,
    actions: ['session/toolCallConfirmed', 'session/permissionResolved'],
  },
  sendMessage: {
    method: 'POST',
    path: `${SESSION}/messages`,
    actions: ['session/turnStarted', 'session/pendingMessageSet'],
  },
  listQuestions: { method: 'GET', path: `${SESSION}/questions`, commands: ['subscribe'] },
  listArtifacts: { method: 'GET', path: `${SESSION}/artifacts`, commands: ['listArtifacts'] },
  followEvents: { method: 'GET', path: `${SESSION}/events`, commands: ['subscribe', 'fetchEvents'] },
  readContent: { method: 'GET', path: '/api/v1/content', commands: ['fetchContent'] },
  search: { method: 'GET', path: '/api/v1/search', commands: ['listSessions'] },
  listAgents: { method: 'GET', path: '/api/v1/agents', commands: ['subscribe'] },
} as const satisfies Readonly<Record<string, ApiRoute>>;

export type ApiOperation = keyof typeof API_ROUTES;

interface FoundRoute {
  readonly operation: ApiOperation;
  /** The values of its parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
}

/** The route of a request; `methods` where there is one for others; `undefined` where there is nothing. */
export function findApiRoute(method: string, pathname: string): FoundRoute | { readonly methods: string } | undefined {
  const segments = pathname.split('/');
  const methods: string[] = [];
  for (const [operation, route] of Object.entries(API_ROUTES)) {
    const path = match(route.path.split('/'), segments);
    if (!path) continue;
    if (route.method === method) return { operation: operation as ApiOperation, path };
    methods.push(route.method);
  }
  return methods.length > 0 ? { methods: methods.join(', ') } : undefined;
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const path: Record<string, string> = {};
  for (const [n, part] of pattern.entries()) {
    const segment = segments[n] ?? '';
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    if (name === undefined) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === '') return undefined;
    path[name] = value;
  }
  return path;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
