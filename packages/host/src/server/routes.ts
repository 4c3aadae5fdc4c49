import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Route {
  readonly method: 'GET';
  readonly path: string;
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void;
}

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
];

export function findRoute(request: IncomingMessage): Route | undefined {
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return ROUTES.find((route) => route.method === method && route.path === request.url);
}
