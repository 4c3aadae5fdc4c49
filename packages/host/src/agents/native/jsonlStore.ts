import type { FileHandle } from 'node:fs/promises';
import { oneLine } from '../events/boundedText.js';
import { findFiles, type Levels, placeOf } from './findFiles.js';
import { jsonLines, type LinesOptions, wholeJson, withForeignFile } from './foreignLines.js';
import type { NativeEntry } from './nativeEntry.js';
import {
  NATIVE_LIMITS,
  type NativeHead,
  type NativePlace,
  type NativeScan,
  type NativeStore,
  type NativeTurns,
} from './nativeStore.js';
import { NativeTurnBuilder } from './nativeTurns.js';

/** What the lines of one conversation say, in the words of its agent. A new one for each reading. */
export interface LineReader {
  /** The entries of a line. */
  take(line: unknown): Iterable<NativeEntry>;
  /** Those that could not be told before all lines were read. */
  end?(): Iterable<NativeEntry>;
  readonly title?: string | undefined;
  readonly folder?: string | undefined;
  readonly nativeId?: string | undefined;
  readonly isHidden?: boolean;
}

export interface JsonlStoreOptions {
  readonly provider: string;
  readonly agentName: string;
  readonly root: string;
  /** Where the files are. Several, where versions of the agent differ. */
  readonly levels: readonly Levels[];
  nativeIdOf(path: string): string | undefined;
  /** What `nativeIdOf` says of a conversation, where the name of its file has only a part of its id. */
  keyOf?(nativeId: string): string;
  command(nativeId: string): string;
  reader(): LineReader;
  /** The title may be anywhere, so the end is looked at as well. */
  readonly hasLateTitle?: boolean;
  /** The folder, where the file doesn't say it; and a title that is elsewhere. */
  beside?(place: NativePlace): Promise<{ readonly folder?: string; readonly title?: string }>;
}

export const MAX_TITLE = 200;

/** Conversations in files with a JSON value in each line. */
export class JsonlStore implements NativeStore {
  readonly #options: JsonlStoreOptions;
  readonly provider: string;
  readonly agentName: string;
  /** By native id, from the last scan. */
  #paths = new Map<string, string>();

  constructor(options: JsonlStoreOptions) {
    this.#options = options;
    this.provider = options.provider;
    this.agentName = options.agentName;
  }

  command(nativeId: string): string {
    return this.#options.command(nativeId);
  }

  async scan(): Promise<NativeScan> {
    const { places, problems } = await this.#search();
    this.#paths = new Map([...places].map(([nativeId, { path }]) => [nativeId, path]));
    return { places: [...places.values()], problems };
  }

  async find(wanted: string): Promise<NativePlace | undefined> {
    const nativeId = this.#options.keyOf?.(wanted) ?? wanted;
    const known = this.#paths.get(nativeId);
    const place = known === undefined ? undefined : await placeOf(known, nativeId);
    if (place) return place;
    const found = (await this.#search(nativeId)).places.get(nativeId);
    if (found) this.#paths.set(nativeId, found.path);
    return found;
  }

  async #search(only?: string): Promise<{ places: Map<string, NativePlace>; problems: string[] }> {
    const { root, levels, nativeIdOf } = this.#options;
    const places = new Map<string, NativePlace>();
    const problems: string[] = [];
    for (const each of levels) {
      const found = await findFiles(root, each, nativeIdOf, only);
      problems.push(...found.problems);
      // Of two files for one conversation the newer counts.
      for (const place of found.places) {
        if ((places.get(place.nativeId)?.modifiedAt ?? -1) < place.modifiedAt) places.set(place.nativeId, place);
      }
    }
    return { places, problems };
  }

  async head(place: NativePlace): Promise<NativeHead> {
    const reader = this.#options.reader();
    const beside = this.#options.beside ? await this.#options.beside(place) : {};
    let first: string | undefined;
    await withForeignFile(place.path, async (file, size) => {
      const to = Math.min(size, NATIVE_LIMITS.headBytes);
      const look = (entries: Iterable<NativeEntry>) => {
        for (const entry of entries) if (entry.kind === 'user' && entry.text.trim() !== '') first ??= entry.text;
      };
      for await (const line of valuesIn(place.path, file, { to, size })) {
        look(reader.take(line));
        if (reader.isHidden || (first !== undefined && (reader.folder ?? beside.folder) !== undefined)) break;
      }
      if (first === undefined) look(reader.end?.() ?? []);
      if (!this.#options.hasLateTitle || reader.isHidden) return;
      const from = Math.max(to, size - NATIVE_LIMITS.tailBytes);
      for await (const line of jsonLines(file, { from, to: size })) for (const _ of reader.take(line));
    });
    const title = oneLine(reader.title ?? beside.title ?? first ?? '', MAX_TITLE);
    const folder = reader.folder ?? beside.folder;
    // A message may come after a very long beginning; then it is listed without a title.
    const isEmpty = first === undefined && place.size <= NATIVE_LIMITS.headBytes;
    return {
      title: title || 'Untitled',
      ...(folder !== undefined && { folder }),
      ...(reader.nativeId !== undefined && { nativeId: reader.nativeId }),
      ...((reader.isHidden || isEmpty) && { isHidden: true }),
    };
  }

  async turns(place: NativePlace, maxBytes: number = NATIVE_LIMITS.bytes): Promise<NativeTurns> {
    const reader = this.#options.reader();
    const beside = this.#options.beside ? await this.#options.beside(place) : {};
    return withForeignFile(place.path, async (file, size) => {
      const from = Math.max(0, size - maxBytes);
      let builder: NativeTurnBuilder | undefined;
      const take = (entries: Iterable<NativeEntry>) => {
        for (const entry of entries) {
          const folder = reader.folder ?? beside.folder;
          builder ??= new NativeTurnBuilder({ otherwise: place.modifiedAt, folder, isTail: from > 0 });
          builder.take(entry);
        }
      };
      for await (const line of valuesIn(place.path, file, { from, to: size, size })) {
        take(
          line === undefined ? [{ kind: 'notice', text: 'A step that is too large is not shown.' }] : reader.take(line),
        );
      }
      take(reader.end?.() ?? []);
      return builder?.result() ?? { turns: [], isCut: from > 0, isOpen: false };
    });
  }
}

/** Older versions of some agents write one value into a file. */
function valuesIn(path: string, file: FileHandle, { size, ...part }: LinesOptions & { readonly size: number }) {
  return path.endsWith('.json') ? wholeJson(file, size) : jsonLines(file, part);
}
