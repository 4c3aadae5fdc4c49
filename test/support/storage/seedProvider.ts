import { type RawAddress, RawClient } from '../rawClient.js';

interface CallParams {
  readonly sessionId: string;
  readonly path: string;
  readonly content?: string;
  readonly encoding?: string;
  readonly recursive?: boolean;
  readonly force?: boolean;
  readonly src?: string;
  readonly dest?: string;
}

export interface ProviderCall {
  readonly method: string;
  readonly params: CallParams;
}

/** Takes the place of an answer; `undefined` where the honest one is given. */
export type Lie = (call: ProviderCall, honest: () => unknown) => unknown;

export const SEED_CONFIG = { initialCwd: '/tmp', sessionStatePath: '/state', conventions: 'posix' } as const;

/**
 * A provider written from seed 003 alone: a Map of strings a session, ten methods, errors as `{ code, message }` results. It knows no
 * `encoding`, counts characters, and has no folders but those that its paths name.
 */
export class SeedProvider {
  readonly sessions = new Map<string, Map<string, string>>();
  readonly calls: ProviderCall[] = [];
  /** Answers calls for any session's id, and keeps what they store; without it, only for the sessions that it knows. */
  readonly takesAnyId: boolean;
  lie: Lie | undefined;

  constructor({ takesAnyId = false } = {}) {
    this.takesAnyId = takesAnyId;
  }

  /** A raw connection that answers the host's calls from now on. */
  async connect(host: RawAddress): Promise<RawClient> {
    const client = await RawClient.open(host);
    await client.request('initialize', { protocolVersion: 1, clientId: crypto.randomUUID() });
    client.socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data)) as { id?: number; method?: string; params: CallParams };
      if (id === undefined || !method?.startsWith('sessionFs.')) return;
      const call = { method: method.slice('sessionFs.'.length), params };
      this.calls.push(call);
      const honest = () => this.answer(call);
      const result = this.lie?.(call, honest) ?? honest();
      client.sendText(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    return client;
  }

  /** The same, and it is the host's provider. */
  async provide(host: RawAddress): Promise<RawClient> {
    const client = await this.connect(host);
    await client.request('sessionFs.setProvider', SEED_CONFIG);
    return client;
  }

  add(sessionId: string): void {
    this.sessions.set(sessionId, new Map());
  }

  fileOf(sessionId: string, path: string): string | undefined {
    return this.sessions.get(sessionId)?.get(path);
  }

  answer({ method, params }: ProviderCall): unknown {
    if (this.takesAnyId && !this.sessions.has(params.sessionId)) this.add(params.sessionId);
    const files = this.sessions.get(params.sessionId);
    if (!files) return { code: 'UNKNOWN', message: `no session ${params.sessionId}` };
    const { path, content = '' } = params;
    const missing = { code: 'ENOENT', message: `no such file: ${path ?? params.src}` };
    const below = [...files.keys()].filter((name) => name.startsWith(`${path}/`));
    switch (method) {
      case 'readFile':
        return files.has(path) ? { content: files.get(path) } : missing;
      case 'writeFile':
        return void files.set(path, content);
      case 'appendFile':
        return void files.set(path, (files.get(path) ?? '') + content);
      case 'exists':
        return { exists: files.has(path) || below.length > 0 };
      case 'stat': {
        if (!files.has(path) && below.length === 0) return missing;
        const time = new Date(0).toISOString();
        const size = files.get(path)?.length ?? 0;
        return { isFile: files.has(path), isDirectory: !files.has(path), size, mtime: time, birthtime: time };
      }
      case 'mkdir':
        return undefined;
      case 'readdir':
        return { entries: [...new Set(below.map((name) => name.slice(path.length + 1).split('/')[0]))] };
      case 'readdirWithTypes': {
        const names = new Set(below.map((name) => name.slice(path.length + 1).split('/')[0] ?? ''));
        const typeOf = (name: string) => (files.has(`${path}/${name}`) ? 'file' : 'directory');
        return { entries: [...names].map((name) => ({ name, type: typeOf(name) })) };
      }
      case 'rm': {
        const gone = [path, ...(params.recursive ? below : [])].filter((name) => files.delete(name));
        return gone.length > 0 || params.force ? undefined : missing;
      }
      case 'rename': {
        const { src = '', dest = '' } = params;
        const moved = files.get(src);
        if (moved === undefined) return missing;
        files.delete(src);
        return void files.set(dest, moved);
      }
      default:
        return { code: 'UNKNOWN', message: `unknown method ${method}` };
    }
  }
}
