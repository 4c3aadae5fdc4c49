import type { SessionFsFileOptions, SessionFsHandler } from '@agenthost/client';

type Folder = FileSystemDirectoryHandle;
/** A method of files; every browser with OPFS has it, TypeScript's library not yet. */
type MovableFile = FileSystemFileHandle & { move(folder: Folder, name: string): Promise<void> };

/** The files of one session in a folder of the origin private file system, which the browser keeps between visits. */
export function opfsSessionFs(opened: Promise<Folder>): SessionFsHandler {
  const split = (path: string) => path.split('/').filter((name) => name !== '');

  async function folderAt(names: readonly string[], create = false): Promise<Folder> {
    let at = await opened;
    for (const name of names) at = await at.getDirectoryHandle(name, { create });
    return at;
  }
  async function parentOf(path: string): Promise<{ folder: Folder; name: string }> {
    const names = split(path);
    return { folder: await folderAt(names.slice(0, -1)), name: names.at(-1) ?? '' };
  }
  async function fileAt(path: string, create = false): Promise<FileSystemFileHandle> {
    const { folder, name } = await parentOf(path);
    return folder.getFileHandle(name, { create });
  }
  async function find(path: string): Promise<FileSystemFileHandle | Folder> {
    if (split(path).length === 0) return opened;
    return fileAt(path).catch((error: unknown) => {
      if (isNamed(error, 'TypeMismatchError')) return folderAt(split(path));
      throw error;
    });
  }
  /** The data is stored when `close` has resolved, all of it or nothing. */
  async function write(path: string, content: string, { encoding }: SessionFsFileOptions, isAppended: boolean) {
    const file = await fileAt(path, true);
    const bytes = encoding === 'base64' ? fromBase64(content) : new TextEncoder().encode(content);
    const writable = await file.createWritable({ keepExistingData: isAppended });
    if (isAppended) await writable.seek((await file.getFile()).size);
    await writable.write(bytes);
    await writable.close();
  }
  async function entries(path: string) {
    const found = [];
    for await (const [name, { kind }] of (await folderAt(split(path))).entries()) found.push({ name, type: kind });
    return found;
  }

  const handler: SessionFsHandler = {
    readFile: async (path, encoding) => {
      const bytes = new Uint8Array(await (await (await fileAt(path)).getFile()).arrayBuffer());
      return encoding === 'base64' ? toBase64(bytes) : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    },
    writeFile: (path, content, options) => write(path, content, options, false),
    appendFile: (path, content, options) => write(path, content, options, true),
    exists: (path) =>
      find(path).then(
        () => true,
        (error: unknown) => {
          if (isNamed(error, 'NotFoundError') || isNamed(error, 'TypeMismatchError')) return false;
          throw error;
        },
      ),
    stat: async (path) => {
      const found = await find(path);
      const isFile = found.kind === 'file';
      const { size, lastModified } = isFile
        ? await (found as FileSystemFileHandle).getFile()
        : { size: 0, lastModified: 0 };
      // OPFS does not know creation times.
      return { isFile, isDirectory: !isFile, size, mtime: new Date(lastModified), birthtime: new Date(lastModified) };
    },
    mkdir: async (path, { recursive }) => {
      if (!recursive && (await handler.exists(path))) throw new Error(`${path} exists`);
      const names = split(path);
      await folderAt(names.slice(0, -1), recursive);
      await folderAt(names, true);
    },
    readdir: async (path) => (await entries(path)).map(({ name }) => name),
    readdirWithTypes: entries,
    rm: async (path, { recursive, force }) => {
      const { folder, name } = await parentOf(path);
      await folder.removeEntry(name, { recursive }).catch((error: unknown) => {
        if (!force || !isNamed(error, 'NotFoundError')) throw error;
      });
    },
    // The host renames only files.
    rename: async (source, target) => {
      const file = (await fileAt(source)) as MovableFile;
      const { folder, name } = await parentOf(target);
      await file.move(folder, name);
    },
  };
  return missingIsEnoent(handler);
}

/** The host has to know that the file is missing. */
function missingIsEnoent(handler: SessionFsHandler): SessionFsHandler {
  return new Proxy(handler, {
    get:
      (methods, name) =>
      async (...args: unknown[]) => {
        try {
          return await Reflect.get(methods, name).apply(methods, args);
        } catch (error) {
          throw isNamed(error, 'NotFoundError') ? Object.assign(new Error(error.message), { code: 'ENOENT' }) : error;
        }
      },
  });
}

function isNamed(error: unknown, name: string): error is DOMException {
  return error instanceof DOMException && error.name === name;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
