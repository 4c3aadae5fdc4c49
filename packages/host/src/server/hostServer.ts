import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer, Server as SecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CLOSE_CODE, FILES_SUBPROTOCOL, MAX_FRAME_BYTES, SUBPROTOCOL } from '@agenthost/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import { type Credential, closeWhenRevoked, OWNER } from '../connection/credential.js';
import { type FrameTransport, MAX_FILE_FRAME_BYTES } from '../connection/frameTransport.js';
import type { HostLog } from '../hostLog.js';
import type { Authenticator } from './access/authenticator.js';
import { ONE_TIME_PATH, OneTimeLinks } from './access/oneTimeLinks.js';
import { PAIR_PATH, type PairRoute } from './access/pairRoute.js';
import { ApiGate, type ServedApi } from './apiGate.js';
import { API_PREFIX, API_ROUTES, MCP_PATH, OPENAPI_PATH } from './apiRoutes.js';
import { GatheredWarnings } from './gatheredWarnings.js';
import { addressGroup } from './networkAddress.js';
import type { PageFiles } from './pageFiles.js';
import { hostsOf, RequestGuard } from './requestGuard.js';
import { findRoute, type Health, ROUTES } from './routes.js';
import { SECURITY_HEADERS } from './securityHeaders.js';
import { findSocketRoute, queryToken, type SocketRoute, transportOver } from './socketRoute.js';
import { Admission } from './sockets/admission.js';
import type { GuestLimits } from './sockets/guestConnections.js';
import { HeldBytes } from './sockets/heldBytes.js';
import { FairTurns, PacedSocket } from './sockets/pacedSocket.js';
import { hasBody, pathRefusal, refuse, routeRefusal, SOCKET_PATH } from './sockets/refusals.js';
import { RefusedSockets } from './sockets/refusedSockets.js';
import { type WebSocketLimits, WebSocketTransport } from './sockets/webSocketTransport.js';

export interface HostServerOptions {
  readonly address: string;
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Names that it is served under besides its address. */
  readonly names?: readonly string[];
  readonly publicUrl?: URL;
  /** Where other hosts reach the one that listens at this address, if there are any. */
  readonly linkUrl?: (url: URL) => URL;
  readonly allowedOrigins: readonly string[];
  /** Maximum number of sockets with a token; connections without one come on top. */
  readonly maxConnections: number;
  readonly guestLimits: GuestLimits;
  readonly webSocketLimits: WebSocketLimits;
  readonly authenticator: Authenticator;
  /** Without it no device can be paired. */
  readonly pairRoute?: PairRoute;
  /** HTTP for scripts, loaded with the first request. */
  readonly api?: () => Promise<ServedApi>;
  /** Served at `/`; without it a short text is. */
  readonly page?: PageFiles;
  /** What `/healthz` answers. */
  readonly health: Health;
  /** Resolves when tokens that another host may have made a moment ago are known, or after a while. Absent for a host of its own. */
  readonly lookAgain?: () => Promise<void>;
  /** Called for each socket that was let in, on every route. */
  readonly onUse?: (credential: Credential, from: string) => void;
  /** Called for each connection that presented no valid token or code. */
  readonly onRefused?: (what: string, from: string) => void;
  readonly onConnection: (transport: FrameTransport, credential: Credential) => void;
  /** Other paths that accept WebSockets. */
  readonly socketRoutes?: readonly SocketRoute[];
  readonly log: HostLog;
}

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

const API_SERVED: readonly ServedRoute[] = [
  { method: 'GET', path: OPENAPI_PATH, status: 200 },
  { method: 'POST', path: MCP_PATH, status: 401, needsBearer: true },
  ...Object.values(API_ROUTES).map(({ method, path }) => ({ method, path, status: 401, needsBearer: true }) as const),
];

const PAIR_ROUTES: readonly ServedRoute[] = (['GET', 'POST'] as const).map((method) => ({
  method,
  path: PAIR_PATH,
  status: 401,
}));

const GOODBYE_MS = 500;

/** The peer answers frames over the limit; a frame far over it ends the connection. */
const FAR_OVER_BYTES = 2 * MAX_FRAME_BYTES;

/** For connections without a token: a whole request within seconds, and no long idle time. */
const HTTP_LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
} as const;

/** HTTP and WebSocket: checks access and passes each socket on as a transport. Knows nothing of sessions. */
export class HostServer {
  readonly #options: HostServerOptions;
  readonly #http: Server;
  readonly #webSockets: WebSocketServer;
  /** The limits for the owner, the only one who may keep the sessions' files. */
  readonly #fileSockets: WebSocketServer;
  readonly #refused = new RefusedSockets();
  readonly #admission: Admission;
  readonly #warnings: GatheredWarnings;
  readonly #turns = new FairTurns();
  readonly #held = new HeldBytes();
  readonly #oneTimeLinks = new OneTimeLinks();
  readonly #api: ApiGate | undefined;
  #guard: RequestGuard | undefined;

  constructor(options: HostServerOptions) {
    this.#options = options;
    this.#warnings = new GatheredWarnings(options.log);
    this.#admission = new Admission(options, this.#warnings);
    this.#api = options.api && this.#openApi(options.api);
    const handle = (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response);
    this.#http = options.tls
      ? createSecureServer({ ...HTTP_LIMITS, handshakeTimeout: HTTP_LIMITS.headersTimeout, ...options.tls }, handle)
      : createServer(HTTP_LIMITS, handle);
    const paced = (socket: Socket) => new PacedSocket(socket, this.#turns);
    const admitted = (socket: Socket) => (this.#admission.connected(socket) ? socket : undefined);
    if (options.tls) {
      intercept(this.#http, 'connection', admitted);
      intercept(this.#http, 'secureConnection', paced);
    } else {
      intercept(this.#http, 'connection', (socket) => admitted(socket) && paced(socket));
    }
    this.#webSockets = webSocketServer(FAR_OVER_BYTES);
    this.#fileSockets = webSocketServer(MAX_FILE_FRAME_BYTES);
    this.#http.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket as PacedSocket, head));
    this.#http.on('clientError', (_error, socket) => socket.destroy());
  }

  /** For new connections. Throws when the server has no TLS, or the key does not fit the certificate. */
  renewCertificate(tls: { readonly cert: string; readonly key: string }): void {
    if (!(this.#http instanceof SecureServer)) throw new Error('the host serves no https');
    this.#http.setSecureContext(tls);
  }

  /** Rejects with an error that has a `code` when the address is not available. */
  async listen(): Promise<URL> {
    const { address, port, tls, names, publicUrl, allowedOrigins } = this.#options;
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen({ host: address, port }, () => {
        this.#http.off('error', reject);
        resolve();
      });
    });
    const bound = this.#http.address() as AddressInfo;
    const scheme = tls ? 'https' : 'http';
    const hosts = hostsOf(address, bound.port, publicUrl, names);
    const origins = [
      ...hosts.map((host) => `${scheme}://${host}`),
      ...(publicUrl ? [publicUrl.origin] : []),
      ...allowedOrigins,
    ];
    const name = address.includes(':') ? `[${address}]` : address;
    const url = new URL(`${scheme}://${name}:${bound.port}`);
    // Other hosts connect under that name; no page does.
    const link = this.#options.linkUrl?.(url).host;
    this.#guard = new RequestGuard({ hosts: link === undefined ? hosts : [...hosts, link], origins });
    return url;
  }

  /** All routes as requests are looked up; tests walk through them, so that none is missed. */
  get routes(): readonly ServedRoute[] {
    const pages = this.#options.page?.paths ?? [];
    return [
      ...ROUTES.filter(({ path }) => !pages.includes(path)).map(({ method, path }) => ({ method, path }) as const),
      ...pages.map((path) => ({ method: 'GET', path }) as const),
      { method: 'GET', path: ONE_TIME_PATH, status: 410 },
      ...(this.#options.pairRoute ? PAIR_ROUTES : []),
      ...(this.#api ? API_SERVED : []),
      { method: 'UPGRADE', path: SOCKET_PATH },
      ...(this.#options.socketRoutes ?? []).map(({ path, tokenParameter }) => ({
        method: 'UPGRADE' as const,
        path,
        ...(tokenParameter !== undefined && { tokenParameter }),
      })),
    ];
  }

  /** A path that leads a browser on this machine to that address, once. */
  createOneTimeLink(target: () => string): string {
    return this.#oneTimeLinks.create(target);
  }

  /** Sockets have a moment to receive the close frame, which says that the host stops. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    this.#http.closeAllConnections();
    await Promise.all([...this.#webSockets.clients, ...this.#fileSockets.clients].map(goodbye));
    this.#webSockets.close();
    this.#fileSockets.close();
    this.#refused.close();
    await closed;
    this.#warnings.dispose();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    if (!this.#admission.mayAsk(request, response)) return;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    const { page } = this.#options;
    const refused = this.#guard?.check(request.headers);
    if (!refused && page?.has(request.url) && (request.method === 'GET' || request.method === 'HEAD')) {
      const socket = request.socket as unknown as PacedSocket;
      void page.serve(request, response, (turn) => socket.inTurn(turn));
      return;
    }
    if (!refused && this.#oneTimeLinks.has(request.url)) {
      void this.#oneTimeLinks.serve(request, response);
      return;
    }
    if (!refused && this.#api && isForApi(request.url)) {
      void this.#api.serve(request, response, addressGroup(request.socket.remoteAddress ?? ''));
      return;
    }
    // The body is not read, here and below.
    if (hasBody(request)) response.setHeader('connection', 'close');
    const { pairRoute } = this.#options;
    if (!refused && pairRoute?.has(request.url)) {
      const remote = addressGroup(request.socket.remoteAddress ?? '');
      void pairRoute.serve(request, response, remote, () => this.#warnOfWrong('code to pair with', remote));
      return;
    }
    const refusal = refused ?? routeRefusal(request);
    if (refusal) {
      response.writeHead(refusal.status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${refusal.reason}\n`);
      return;
    }
    findRoute(request)?.handle(request, response, this.#options.health);
  }

  async #upgrade(request: IncomingMessage, socket: PacedSocket, head: Buffer): Promise<void> {
    // An error of a socket that waits for its refusal must not end the host.
    socket.on('error', () => socket.destroy());
    const { authenticator, socketRoutes = [] } = this.#options;
    const route = findSocketRoute(socketRoutes, request);
    const token = route && queryToken(route, request);
    // A client that knows a token in the query is not a page that the user was lured to, with or without an Origin. Nor is a host.
    const isPage = token === undefined && !route?.identify;
    const refused = isPage ? this.#guard?.checkUpgrade(request.headers) : this.#guard?.check(request.headers);
    const refusal = refused ?? (route ? undefined : pathRefusal(request));
    if (refusal) {
      // A page can't read the answer to a refused upgrade. Only one with a token is told: others must not learn that a host is here.
      const mayKnow =
        refusal.isOrigin && isPage && offers(request, SUBPROTOCOL) && authenticator.identify(request.headers);
      if (!mayKnow) return refuse(socket, refusal);
      this.#warnings.warn(`a page with a token was refused: ${refusal.reason}`, 'pages of other origins were refused');
      this.#refused.refuse(request, socket, head, CLOSE_CODE.originRefused, refusal.reason);
      return;
    }
    const identify = route?.identify ?? ((headers) => authenticator.identify(headers));
    const identified = () =>
      token === undefined ? identify(request.headers) : notOwner(authenticator.identifyToken(token));
    // A read-only link opens the host's own route, and no other.
    const find = () => {
      const found = identified();
      return route && found?.shared ? undefined : found;
    };
    const remote = addressGroup(request.socket.remoteAddress ?? '');
    const known = find();
    const isInTime = known !== undefined || (await authenticator.slowDown(remote));
    // Only those that are slowed down look again: guessing must not cost the database more than that.
    if (known === undefined && isInTime && !route?.identify) await this.#options.lookAgain?.();
    const credential = known ?? (isInTime ? find() : undefined);
    if (credential === undefined) {
      this.#warnOfWrong('token', remote);
      if (isInTime) this.#refuseToken(request, socket, head);
      else socket.destroy();
      return;
    }
    authenticator.succeeded(remote);
    const release = this.#admission.letIn(socket, credential);
    if (!release) {
      refuse(socket, { status: 503, reason: 'There are too many connections. Close some, or try again later.' });
      return;
    }
    socket.once('close', release);
    socket.joinGroup(credential.id);
    const mayKeepFiles = route ? route.admitsFiles === true : credential.role === 'owner';
    const server = mayKeepFiles ? this.#fileSockets : this.#webSockets;
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const limits = {
        ...this.#options.webSocketLimits,
        ...(route?.maxBufferedBytes && { maxBufferedBytes: route.maxBufferedBytes }),
      };
      const transport = new WebSocketTransport(webSocket, socket, limits, {
        maxReceivedBytes: FAR_OVER_BYTES,
        onHeld: () => this.#held.check(credential),
      });
      if (route?.admitsFiles || (mayKeepFiles && offers(request, FILES_SUBPROTOCOL))) transport.admitFiles();
      this.#held.add(credential, transport);
      socket.once('close', () => this.#held.remove(credential, transport));
      // A socket ends with its token, whichever route has it.
      closeWhenRevoked(transport, credential);
      this.#options.onUse?.(credential, remote);
      if (route) route.onConnection(transportOver(transport), credential);
      else this.#options.onConnection(transport, credential);
    });
  }

  #openApi(load: () => Promise<ServedApi>): ApiGate {
    const { authenticator, lookAgain, onUse, log } = this.#options;
    return new ApiGate({
      load,
      authenticator,
      admission: this.#admission,
      held: this.#held,
      ...(lookAgain && { lookAgain }),
      ...(onUse && { onUse }),
      onWrongToken: (remote) => this.#warnOfWrong('token', remote),
      onError: (error) => log.error('a request to the API failed', error),
    });
  }

  #warnOfWrong(what: string, remote: string): void {
    this.#options.onRefused?.(`a connection had no valid ${what}`, remote);
    const of = (where: string) => `a connection from ${where} had no valid ${what}`;
    this.#warnings.warn(of(remote), of('another address'));
  }

  #refuseToken(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const reason = 'The token is missing or wrong.';
    if (offers(request, SUBPROTOCOL)) this.#refused.refuse(request, socket, head, CLOSE_CODE.unauthorized, reason);
    else refuse(socket, { status: 401, reason });
  }
}

type Listener = (socket: Duplex) => void;

/** Passes connections to their listeners as `change` says, or not at all. */
function intercept(server: Server, event: string, change: (socket: Socket) => Duplex | undefined): void {
  const listeners = server.listeners(event) as Listener[];
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    const changed = change(socket);
    if (changed) for (const listener of listeners) listener.call(server, changed);
  });
}

function isForApi(url = ''): boolean {
  return url.startsWith(API_PREFIX) || url.split('?', 1)[0] === MCP_PATH;
}

/** A query ends up in histories and in other logs: the owner's token has no place there. */
function notOwner(credential: Credential | undefined): Credential | undefined {
  return credential?.id === OWNER.id ? undefined : credential;
}

function webSocketServer(maxPayload: number): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    // The transport answers pings: `ws` would keep one answer per ping until the other side reads.
    autoPong: false,
    maxPayload,
    handleProtocols: (protocols) => (protocols.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
}

function offers(request: IncomingMessage, subprotocol: string): boolean {
  const offered = request.headers['sec-websocket-protocol']?.split(',') ?? [];
  return offered.some((name) => name.trim() === subprotocol);
}

async function goodbye(webSocket: WebSocket): Promise<void> {
  if (webSocket.readyState === webSocket.CLOSED) return;
  const closed = once(webSocket, 'close');
  const timer = setTimeout(() => webSocket.terminate(), GOODBYE_MS);
  webSocket.close(CLOSE_CODE.goingAway);
  await closed;
  clearTimeout(timer);
}
