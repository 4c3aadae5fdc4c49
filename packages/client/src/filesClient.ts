import type {
  CheckFilesResult,
  FindFilesParams,
  FindFilesResult,
  ListFolderParams,
  ListFolderResult,
  ReadSessionFileParams,
  ReadSessionFileResult,
  URI,
} from '@agenthost/protocol';
import type { CommandChannel, CommandOptions } from './connection/commandChannel.js';

/** A very large folder, on a slow disk. */
const LONG_MS = 60_000;

/**
 * The files of a session's folder: to look at, and to mention in a message. Nothing outside of the folder can be read, also not through
 * a link. Needs the role driver. Errors have `data.code` `notFound`, `refused`, `notAFile` or `notAFolder`.
 *
 * @example
 * ```ts
 * const { files } = await host.files.find(session.uri, { query: 'readme' });
 * const [first] = files;
 * if (first?.type === 'file') console.log((await host.files.read(session.uri, { path: first.path })).text);
 * ```
 */
export class FilesClient {
  readonly #commands: CommandChannel;

  /** @internal `HostClient.files` is one. */
  constructor(commands: CommandChannel) {
    this.#commands = commands;
  }

  /**
   * A page of a folder, folders first. Without `path`, of the session's folder itself.
   *
   * @example
   * ```ts
   * const { entries, nextCursor } = await host.files.list(session.uri, { path: 'src' });
   * console.log(entries.map(({ name, type }) => (type === 'folder' ? `${name}/` : name)));
   * ```
   */
  list(
    session: URI,
    params: Omit<ListFolderParams, 'session'> = {},
    options?: CommandOptions,
  ): Promise<ListFolderResult> {
    return this.#commands.request('listFolder', { session, ...params }, options);
  }

  /**
   * A page of a file: its text, or with `asBytes` its bytes as base64. `kind` says what it is; `nextOffset` is where the next page begins.
   *
   * @example
   * ```ts
   * for (let offset: number | undefined = 0; offset !== undefined; ) {
   *   const page = await host.files.read(session.uri, { path: 'build.log', offset });
   *   console.log(page.text);
   *   offset = page.nextOffset;
   * }
   * ```
   */
  read(
    session: URI,
    params: Omit<ReadSessionFileParams, 'session'>,
    options?: CommandOptions,
  ): Promise<ReadSessionFileResult> {
    return this.#commands.request('readFile', { session, ...params }, options);
  }

  /**
   * Files and folders whose path has these characters in this order, the best match first. Files that git ignores are left out.
   *
   * @example
   * ```ts
   * const { files } = await host.files.find(session.uri, { query: 'src/idx', limit: 10 });
   * console.log(files.map(({ path }) => path));
   * ```
   */
  find(session: URI, params: Omit<FindFilesParams, 'session'>, options?: CommandOptions): Promise<FindFilesResult> {
    return this.#commands.request('findFiles', { session, ...params }, { timeoutMs: LONG_MS, ...options });
  }

  /**
   * Which of these paths, relative or absolute, are files or folders in the session's folder.
   *
   * @example
   * ```ts
   * const { files } = await host.files.check(session.uri, ['src/a.ts', '/etc/passwd']);
   * console.log(files.map(({ found, type }) => `${type} ${found}`));
   * ```
   */
  check(session: URI, paths: readonly string[], options?: CommandOptions): Promise<CheckFilesResult> {
    return this.#commands.request('checkFiles', { session, paths }, options);
  }
}
