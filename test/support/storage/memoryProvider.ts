import type { SessionFsFileStat, SessionFsHandler } from '@agenthost/client';
import type { SessionFs } from '@agenthost/host';

/** A client's file system for one session, in memory: what a program of a user would write. */
export function memoryHandler(files: SessionFs): SessionFsHandler {
  const decode = (content: string, encoding: string) =>
    encoding === 'base64' ? Buffer.from(content, 'base64') : content;
  return {
    readFile: async (path, encoding) =>
      Buffer.from(await files.readFileBytes(path)).toString(encoding === 'base64' ? 'base64' : 'utf8'),
    writeFile: (path, content, { encoding }) => files.writeFile(path, decode(content, encoding)),
    appendFile: (path, content, { encoding }) => files.appendFile(path, decode(content, encoding)),
    exists: (path) => files.exists(path),
    stat: async (path): Promise<SessionFsFileStat> => {
      const { mtime, birthtime, ...stat } = await files.stat(path);
      return { ...stat, mtime: new Date(mtime), birthtime: new Date(birthtime) };
    },
    mkdir: (path, { recursive }) => files.mkdir(path, { recursive }),
    readdir: (path) => files.readdir(path),
    readdirWithTypes: (path) => files.readdirWithTypes(path),
    rm: (path, options) => files.rm(path, options),
    rename: (source, target) => files.rename(source, target),
  };
}

/** One that knows text alone: no `encoding`, and sizes in characters. */
export function textHandler(files: SessionFs): SessionFsHandler {
  const stored = memoryHandler(files);
  return {
    ...stored,
    readFile: (path) => files.readFile(path),
    writeFile: (path, content) => files.writeFile(path, content),
    appendFile: (path, content) => files.appendFile(path, content),
    stat: async (path) => {
      const stat = await stored.stat(path);
      return stat.isFile ? { ...stat, size: (await files.readFile(path)).length } : stat;
    },
  };
}
