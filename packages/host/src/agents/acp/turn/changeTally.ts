import type { FileChangeSummary } from '@agenthost/protocol';
import * as z from 'zod';
import { replaceFile } from '../../../storage/fs/replaceFile.js';
import type { SessionFs } from '../../../storage/fs/sessionFs.js';
import { MAX_CHANGES } from '../../events/agentEventMapper.js';

const FILE = 'acp-changes.json';
const stored = z.array(z.object({ uri: z.string(), insertions: z.number(), deletions: z.number() })).max(MAX_CHANGES);

/** The files that a session changed, over all its turns. They are kept beside its log, because the agent doesn't repeat them. */
export class ChangeTally {
  readonly #fs: SessionFs;
  readonly #changes = new Map<string, FileChangeSummary>();
  #writing: Promise<void> = Promise.resolve();

  static async open(fs: SessionFs, resumed: boolean): Promise<ChangeTally> {
    const tally = new ChangeTally(fs);
    const path = tally.#path;
    const text = resumed && path !== undefined ? await fs.readFile(path).catch(() => '[]') : '[]';
    const parsed = stored.safeParse(parseJson(text));
    for (const change of parsed.data ?? []) tally.#changes.set(change.uri, change);
    return tally;
  }

  private constructor(fs: SessionFs) {
    this.#fs = fs;
  }

  /** All changes so far, or nothing if none was added. */
  add(changes: readonly FileChangeSummary[]): readonly FileChangeSummary[] | undefined {
    if (changes.length === 0) return undefined;
    for (const { uri, insertions, deletions } of changes) {
      const before = this.#changes.get(uri);
      if (!before && this.#changes.size >= MAX_CHANGES) continue;
      const total = {
        uri,
        insertions: insertions + (before?.insertions ?? 0),
        deletions: deletions + (before?.deletions ?? 0),
      };
      this.#changes.set(uri, total);
    }
    const all = [...this.#changes.values()];
    const path = this.#path;
    if (path === undefined) return all;
    // A failed write only means that they are missing after a restart; the turn continues.
    this.#writing = this.#writing.then(() =>
      replaceFile(this.#fs, path, `${JSON.stringify(all)}\n`).catch(() => undefined),
    );
    return all;
  }

  settled(): Promise<void> {
    return this.#writing;
  }

  get #path(): string | undefined {
    const { sessionStatePath } = this.#fs;
    return sessionStatePath === undefined ? undefined : this.#fs.join(sessionStatePath, FILE);
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
