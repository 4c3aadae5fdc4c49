import type { SessionFsHandler } from '@agenthost/client';
import { type ContractCase, sessionFsContract } from '@agenthost/host/contract';
import type { WriteFileParams } from '@agenthost/protocol/internal';
import { createMemoryTransportPair, RpcPeer } from '@agenthost/rpc';
import { SessionFsServer } from '../../../packages/client/src/sessionFs/sessionFsServer.js';
import { ConnectionSessionFs } from '../../../packages/host/src/connection/connectionSessionFs.js';
import { RpcSessionFs } from '../../../packages/host/src/storage/client/rpcSessionFs.js';

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

/** A host's side of a client that knows no SDK: its handler's answers are the frames' results, whatever was asked for. */
export function provideRaw(handler: SessionFsHandler, options: ProvidedOptions = {}) {
  const { initialCwd = '/', sessionId = 's1', conventions = 'posix', sessionStatePath = '/state' } = options;
  const provider = new ConnectionSessionFs({ initialCwd, sessionStatePath, conventions }, async (method, params) => {
    const answer = await rawAnswer(handler, method, params as RawParams).catch((error: { code?: string } & Error) => ({
      code: error.code === 'ENOENT' ? 'ENOENT' : 'UNKNOWN',
      message: error.message,
    }));
    return answer === undefined ? undefined : (JSON.parse(JSON.stringify(answer)) as unknown);
  });
  return { provider, fs: new RpcSessionFs(provider, sessionId) };
}

interface RawParams extends WriteFileParams {
  readonly recursive?: boolean;
  readonly force?: boolean;
  readonly src: string;
  readonly dest: string;
}

async function rawAnswer(handler: SessionFsHandler, method: string, params: RawParams): Promise<unknown> {
  const { path, content, encoding = 'utf-8', recursive = false, force = false, src, dest } = params;
  switch (method) {
    case 'sessionFs.readFile':
      return { content: await handler.readFile(path, encoding) };
    case 'sessionFs.writeFile':
      return handler.writeFile(path, content, { encoding });
    case 'sessionFs.appendFile':
      return handler.appendFile(path, content, { encoding });
    case 'sessionFs.exists':
      return { exists: await handler.exists(path) };
    case 'sessionFs.stat':
      return handler.stat(path);
    case 'sessionFs.mkdir':
      return handler.mkdir(path, { recursive });
    case 'sessionFs.readdir':
      return { entries: await handler.readdir(path) };
    case 'sessionFs.readdirWithTypes':
      return { entries: await handler.readdirWithTypes(path) };
    case 'sessionFs.rm':
      return handler.rm(path, { recursive, force });
    case 'sessionFs.rename':
      return handler.rename(src, dest);
    default:
      throw new Error(`unknown method ${method}`);
  }
}

/** The contract of a SessionFs, for the files of a client that uses the SDK. */
export function providedContract(create: (sessionId: string) => SessionFsHandler): ContractCase[] {
  return contractOf(async (sessionId, initialCwd) => {
    const { fs, host } = await provideSessionFs(create(sessionId), { sessionId, initialCwd });
    return { fs, dispose: async () => host.dispose() };
  });
}

/** The same for one that doesn't. */
export function rawContract(create: (sessionId: string) => SessionFsHandler): ContractCase[] {
  return contractOf(async (sessionId, initialCwd) => provideRaw(create(sessionId), { sessionId, initialCwd }));
}

function contractOf(
  provide: (sessionId: string, initialCwd: string) => Promise<{ fs: RpcSessionFs; dispose?(): Promise<void> }>,
): ContractCase[] {
  return sessionFsContract(async ({ sessionId, initialCwd }) => {
    const provided = await provide(sessionId, initialCwd);
    await provided.fs.mkdir(provided.fs.sessionStatePath, { recursive: true });
    await provided.fs.mkdir(provided.fs.tmpdir, { recursive: true });
    return provided;
  });
}
