import type { SessionFsHandler } from '@agenthost/client';
import { type ContractCase, sessionFsContract } from '@agenthost/host/contract';
import { createMemoryTransportPair, RpcPeer } from '@agenthost/rpc';
import { SessionFsServer } from '../../packages/client/src/sessionFsServer.js';
import { ConnectionSessionFs } from '../../packages/host/src/protocol/connectionSessionFs.js';
import { RpcSessionFs } from '../../packages/host/src/sessionFs/rpcSessionFs.js';

export interface ProvidedOptions {
  readonly initialCwd?: string;
  readonly sessionId?: string;
  readonly conventions?: 'posix' | 'windows';
  readonly sessionStatePath?: string;
}

/** A host's side and a client's, with a connection between them: the files are the client's. */
export async function provideSessionFs(handler: SessionFsHandler, options: ProvidedOptions = {}) {
  const { initialCwd = '/', sessionId = 's1', conventions = 'posix', sessionStatePath = '/state' } = options;
  const { a, b } = createMemoryTransportPair();
  const [host, client] = [new RpcPeer(a, { maxFrameBytes: 64 * 1024 * 1024 }), new RpcPeer(b)];
  const config = { initialCwd, sessionStatePath, conventions };
  const server = new SessionFsServer(config);
  server.add(`mock:/${sessionId}`, () => handler);
  host.onRequest('sessionFs.setProvider', { parse: (params) => params, handle: () => ({ success: true }) });
  await server.offer(client);
  const provider = new ConnectionSessionFs(config, (method, params, timeoutMs) =>
    host.request(method, params, { timeoutMs }),
  );
  host.onClose(() => provider.lose());
  return { provider, host, client, fs: new RpcSessionFs(provider, sessionId) };
}

/** The contract of a SessionFs, for the files of a client. */
export function providedContract(create: (sessionId: string) => SessionFsHandler): ContractCase[] {
  return sessionFsContract(async ({ sessionId, initialCwd }) => {
    const { fs, host } = await provideSessionFs(create(sessionId), { sessionId, initialCwd });
    await fs.mkdir(fs.sessionStatePath, { recursive: true });
    await fs.mkdir(fs.tmpdir, { recursive: true });
    return { fs, dispose: async () => host.dispose() };
  });
}
