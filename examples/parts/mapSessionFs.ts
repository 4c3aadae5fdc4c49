import type { SessionFsFileOptions, SessionFsFileStat, SessionFsHandler } from '@agenthost/client';

interface Node {
  /** Absent for a folder. */
  content?: Buffer;
  mtime: Date;
  readonly birthtime: Date;
}

type Encoding = SessionFsFileOptions['encoding'];

/** The files of one session, in a Map. It passes `sessionFsContract`. */
export function mapSessionFs(nodes: Map<string, Node>): SessionFsHandler {
  const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/')) || '/';
  const inside = (path: string) => [...nodes.keys()].filter((at) => at === path || at.startsWith(`${path}/`));
  const typeOf = (path: string) => (nodes.get(path)?.content ? 'file' : 'directory');

  function node(path: string): Node {
    if (path.includes('\0')) throw new Error('a path may not hold a NUL');
    const found = nodes.get(path);
    if (found) return found;
    // A path below a file is another failure than a missing path.
    folder(parentOf(path));
    throw Object.assign(new Error(`there is no ${path}`), { code: 'ENOENT' });
  }
  function file(path: string): Buffer {
    const { content } = node(path);
    if (!content) throw new Error(`${path} is a folder`);
    return content;
  }
  function folder(path: string): void {
    if (path !== '/' && node(path).content) throw new Error(`${path} is no folder`);
  }
  function put(path: string, content: Buffer | undefined): void {
    const now = new Date();
    folder(parentOf(path));
    if (path.includes('\0')) throw new Error('a path may not hold a NUL');
    if (nodes.has(path) && !nodes.get(path)?.content) throw new Error(`${path} is a folder`);
    nodes.set(path, { birthtime: now, ...nodes.get(path), mtime: now, ...(content && { content }) });
  }
  const decode = (content: string, encoding: Encoding) =>
    Buffer.from(content, encoding === 'base64' ? encoding : 'utf8');
  const entries = (path: string) => {
    folder(path);
    return [...nodes.keys()].filter((at) => at !== path && parentOf(at) === path);
  };

  return {
    readFile: (path, encoding) => file(path).toString(encoding === 'base64' ? encoding : 'utf8'),
    writeFile: (path, content, { encoding }) => put(path, decode(content, encoding)),
    appendFile: (path, content, { encoding }) =>
      put(path, Buffer.concat([nodes.has(path) ? file(path) : Buffer.of(), decode(content, encoding)])),
    exists: (path) => nodes.has(path),
    stat: (path): SessionFsFileStat => {
      const { content, mtime, birthtime } = node(path);
      return { isFile: !!content, isDirectory: !content, size: content?.length ?? 0, mtime, birthtime };
    },
    mkdir(path, options) {
      if (nodes.has(path) && !(options.recursive && typeOf(path) === 'directory')) throw new Error(`${path} exists`);
      if (nodes.has(path)) return;
      if (options.recursive && parentOf(path) !== '/') this.mkdir(parentOf(path), options);
      put(path, undefined);
    },
    readdir: (path) => entries(path).map((at) => at.slice(path.length + 1)),
    readdirWithTypes: (path) => entries(path).map((at) => ({ name: at.slice(path.length + 1), type: typeOf(at) })),
    rm(path, { recursive, force }) {
      if (force && !nodes.has(path)) return;
      if (!node(path).content && !recursive) throw new Error(`${path} is a folder`);
      for (const at of inside(path)) nodes.delete(at);
    },
    rename(source, target) {
      node(source);
      folder(parentOf(target));
      if (source === target) return;
      if (target.startsWith(`${source}/`)) throw new Error(`${target} is in ${source}`);
      if (nodes.has(target) && typeOf(target) !== typeOf(source)) throw new Error(`${target} is a ${typeOf(target)}`);
      if (inside(target).length > 1) throw new Error(`${target} is not empty`);
      for (const at of inside(source)) {
        nodes.set(target + at.slice(source.length), node(at));
        nodes.delete(at);
      }
    },
  };
}
