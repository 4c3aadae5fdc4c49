import type { Transport } from '@agenthost/rpc';
import type { AuditTrail } from './audit/auditTrail.js';
import type { Credential } from './connection/credential.js';
import { auditActor, type HostWatch } from './connection/watchedCommand.js';
import type { HostBackend } from './hostBackend.js';
import type { HostLog } from './hostLog.js';
import type { ListenOptions } from './hostOptions.js';
import type { HostParts } from './hostParts.js';
import { type Access, openAccess } from './server/access/openAccess.js';
import type { ServedApi } from './server/apiGate.js';
import { HostServer, type HostServerOptions } from './server/hostServer.js';
import { linkUrlOf } from './server/networkAddress.js';
import { PageFiles } from './server/pageFiles.js';
import { DEFAULT_GUEST_LIMITS } from './server/sockets/guestConnections.js';
import { DEFAULT_WEB_SOCKET_LIMITS } from './server/sockets/webSocketTransport.js';
import { HOST_VERSION } from './version.js';

interface ServedParts {
  readonly backend: HostBackend;
  readonly cluster: HostParts['cluster'];
  readonly services: { readonly audit: AuditTrail; readonly watching: Pick<HostWatch, 'page'> };
  /** The ids of the tokens that are in use. */
  readonly connected: () => ReadonlySet<string>;
  /** Where other machines reach the host, if it knows. */
  readonly outside: () => string | undefined;
  readonly onConnection: HostServerOptions['onConnection'];
  /** A connection inside the process. */
  readonly attach: (transport: Transport, credential: Credential) => void;
  readonly instanceId: string;
  readonly log: HostLog;
}

/** The server of a host with everybody that it lets in; it does not listen yet. */
export async function openServer(
  options: ListenOptions,
  { backend, cluster, services, connected, outside, onConnection, attach, instanceId, log }: ServedParts,
): Promise<{ readonly access: Access; readonly server: HostServer; readonly linkUrl: (url: URL) => URL }> {
  const { audit, watching } = services;
  const access = await openAccess({
    source: await backend.openTokens(),
    onTokens: (accepted, lookAgain) => {
      backend.push.setTokens(accepted, lookAgain);
      audit.tokensChanged(accepted);
    },
    store: backend.deviceTokens,
    fixed: options.token,
    connected,
    address: outside,
    log,
  });
  const linkUrl = (url: URL) => options.linkUrl ?? linkUrlOf(url);
  let api: Promise<ServedApi> | undefined;
  const page = options.pageFolder === undefined ? undefined : PageFiles.open(options.pageFolder);
  const server = new HostServer({
    address: options.address ?? '127.0.0.1',
    port: options.port ?? 0,
    ...(options.tls && { tls: options.tls }),
    ...(options.names && { names: options.names }),
    ...(options.publicUrl && { publicUrl: options.publicUrl }),
    ...(backend.cluster && { linkUrl, lookAgain: () => access.tokens.lookAgain() }),
    allowedOrigins: options.allowedOrigins ?? [],
    maxConnections: options.maxConnections ?? 2_000,
    guestLimits: { ...DEFAULT_GUEST_LIMITS, ...options.guestLimits },
    webSocketLimits: { ...DEFAULT_WEB_SOCKET_LIMITS, ...options.webSocketLimits },
    authenticator: access.authenticator,
    pairRoute: access.pairRoute,
    ...(page && { page }),
    health: () => backend.cluster?.trouble,
    onUse: (credential, from) => {
      access.tokens.used(credential.id);
      audit.connected(auditActor(credential), from, credential.space);
    },
    onRefused: (what, from) => audit.refused(what, from),
    onConnection,
    api: () => {
      api ??= import('./api/apiServer.js').then(
        ({ ApiServer }) =>
          new ApiServer({ attach, keys: () => backend.apiKeys(), instanceId, version: HOST_VERSION, log }),
      );
      return api;
    },
    metrics: () => watching.page(),
    socketRoutes: [...(cluster ? [cluster.route] : []), ...(options.socketRoutes ?? [])],
    log,
  });
  return { access, server, linkUrl };
}
