import { PAIR_PATH } from './access/pairRoute.js';
import { API_ROUTES, MCP_PATH, OPENAPI_PATH } from './apiRoutes.js';
import { METRICS_PATH } from './metricsGate.js';

export interface ServedRoute {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'UPGRADE';
  /** With the names of its parameters in braces. */
  readonly path: string;
  /** The status of the answer to a request that presents nothing. Defaults to 200. */
  readonly status?: number;
  /** The query parameter in which a device token may come. */
  readonly tokenParameter?: string;
  /** It needs a token in the `Authorization` header. */
  readonly needsBearer?: true;
}

export const METRICS_SERVED: ServedRoute = { method: 'GET', path: METRICS_PATH, status: 401, needsBearer: true };

export const API_SERVED: readonly ServedRoute[] = [
  { method: 'GET', path: OPENAPI_PATH, status: 200 },
  { method: 'POST', path: MCP_PATH, status: 401, needsBearer: true },
  ...Object.values(API_ROUTES).map(({ method, path }) => ({ method, path, status: 401, needsBearer: true }) as const),
];

export const PAIR_SERVED: readonly ServedRoute[] = (['GET', 'POST'] as const).map((method) => ({
  method,
  path: PAIR_PATH,
  status: 401,
}));
