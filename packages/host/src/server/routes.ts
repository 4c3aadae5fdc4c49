import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Route {
  readonly method: 'GET';
  readonly path: string;
  readonly handle: (request: IncomingMessage, response: ServerResponse, health: Health) => void;
}

/** Why a balancer should send nobody here, in one word; `undefined` when it may. */
export type Health = () => 'database' | 'draining' | undefined;

const LANDING = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>agenthost</title>
<h1>agenthost is running</h1>
<p>Connect a client to this address with the token that <code>agenthost serve</code> printed.</p>
</html>
`;

/** Everything that HTTP serves. A test walks through this table, so that no route is missed. */
export const ROUTES: readonly Route[] = [
  {
    method: 'GET',
    path: '/',
    handle: (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(LANDING);
    },
  },
  {
    method: 'GET',
    path: '/healthz',
    handle: (_request, response, health) => {
      const trouble = health();
      response
        .writeHead(trouble ? 503 : 200, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' })
        .end(`${trouble ?? 'ok'}\n`);
    },
  },
];

export function findRoute(request: IncomingMessage): Route | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return ROUTES.find((route) => route.method === method && route.path === request.url);
}
