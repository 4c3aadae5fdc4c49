import { access, appendFile, mkdir, readdir, rename, rm, stat as statFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isWithin } from '../../storage/fs/confinement.js';
import { openForeignFile } from '../../storage/fs/foreignFile.js';
import type { SessionFs } from '../../storage/fs/sessionFs.js';
import type { SdkFileInfo, SdkSessionFsProvider } from './sdk.js';

const MAX_FILE_BYTES = 64 * 1024 * 1024;

const FOLDER = 'copilot';
const PLAN = 'plan.md';
const EVENTS = 'events.jsonl';

export interface StateFiles {
  /** The path of its state from Copilot's point of view. */
  readonly path: string;
  readonly provider: SdkSessionFsProvider;
  /** Whether Copilot has stored anything of its session. It writes with a delay, and may have been killed before. */
  hasSession(): Promise<boolean>;
  /** Rejects when the file doesn't exist. */
  readPlan(): Promise<string>;
  /** The same folder in the session's own file system. */
  readonly folder: string;
}

/**
 * Copilot's files, in a folder of the session's file system, on this disk or a client's. Copilot asks the same provider for
 * the files of the project; those are on this machine, where its commands run too.
 */
export function stateFiles(sessionFs: SessionFs, sessionId: string): StateFiles {
  const { sessionStatePath, tmpdir } = sessionFs;
  const folder =
    sessionStatePath === undefined
      ? sessionFs.join(tmpdir, `${FOLDER}-${sessionId}`)
      : sessionFs.join(sessionStatePath, FOLDER);
  const isOurs = sessionFs.conventions === (sep === '/' ? 'posix' : 'windows');
  // A client may have other path conventions; then Copilot sees a path of this machine that doesn't exist.
  const path = isOurs ? folder : join(sep, 'session-state', sessionId, FOLDER);
  const own = (at: string) => sessionFs.join(folder, ...relative(path, at).split(sep).filter(Boolean));
  const isState = (at: string) => isWithin(path, at);
  const makeParent = async (at: string) => {
    const parent = dirname(at);
    if (isState(parent)) await sessionFs.mkdir(own(parent), { recursive: true });
    else await mkdir(parent, { recursive: true });
  };
  const provider: SdkSessionFsProvider = {
    readFile: (at) => (isState(at) ? sessionFs.readFile(own(at)) : readWhole(at)),
    writeFile: async (at, content) => {
      await makeParent(at);
      await (isState(at) ? sessionFs.writeFile(own(at), content) : writeFile(at, content));
    },
    appendFile: async (at, content) => {
      await makeParent(at);
      await (isState(at) ? sessionFs.appendFile(own(at), content) : appendFile(at, content));
    },
    exists: (at) => (isState(at) ? sessionFs.exists(own(at)) : exists(at)),
    stat: async (at) => fileInfo(isState(at) ? await sessionFs.stat(own(at)) : await statLocally(at)),
    mkdir: async (at, recursive) => {
      if (isState(at)) await sessionFs.mkdir(own(at), { recursive });
      else await mkdir(at, { recursive });
    },
    readdir: (at) => (isState(at) ? sessionFs.readdir(own(at)) : readdir(at)),
    readdirWithTypes: (at) => (isState(at) ? sessionFs.readdirWithTypes(own(at)) : readdirLocally(at)),
    rm: (at, recursive, force) =>
      isState(at) ? sessionFs.rm(own(at), { recursive, force }) : rm(at, { recursive, force }),
    rename: (source, target) => {
      if (isState(source) !== isState(target)) {
        throw new Error(`${source} can't be moved to ${target}: one is the session's own state, the other is not`);
      }
      return isState(source) ? sessionFs.rename(own(source), own(target)) : rename(source, target);
    },
  };
  return {
    path,
    folder,
    provider,
    hasSession: () => sessionFs.exists(sessionFs.join(folder, EVENTS)),
    readPlan: () => sessionFs.readFile(sessionFs.join(folder, PLAN)),
  };
}

interface Times {
  readonly isFile: boolean;
  readonly isDirectory: boolean;
  readonly size: number;
  readonly mtime: number;
  readonly birthtime: number;
}

function fileInfo({ mtime, birthtime, ...rest }: Times): SdkFileInfo {
  return {
    isFile: rest.isFile,
    isDirectory: rest.isDirectory,
    size: rest.size,
    mtime: new Date(mtime).toISOString(),
    birthtime: new Date(birthtime).toISOString(),
    mtimeMs: Math.floor(mtime),
    birthtimeMs: Math.floor(birthtime),
  };
}

async function statLocally(path: string): Promise<Times> {
  const found = await statFile(path);
  return {
    isFile: found.isFile(),
    isDirectory: found.isDirectory(),
    size: found.size,
    mtime: found.mtimeMs,
    birthtime: found.birthtimeMs,
  };
}

async function readdirLocally(path: string): Promise<{ name: string; type: 'file' | 'directory' }[]> {
  const entries = await readdir(path, { withFileTypes: true });
  return entries.map((entry) => ({ name: entry.name, type: entry.isDirectory() ? 'directory' : 'file' }));
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** A file outside of the session folder: it may be anything that the agent was told to read. */
async function readWhole(path: string): Promise<string> {
  const file = await openForeignFile(path);
  try {
    if ((await file.stat()).size > MAX_FILE_BYTES) throw new Error(`${path} is too large to be read`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
