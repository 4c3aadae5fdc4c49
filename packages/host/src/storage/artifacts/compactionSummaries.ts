import { errorCode } from '../fs/errnoFailure.js';
import type { SessionFs } from '../fs/sessionFs.js';
import { ArtifactFolder, checkSize } from './artifactFolder.js';
import { requireStatePath, StorageFailure } from './storageFailure.js';

export interface CompactionSummary {
  readonly number: number;
  /** `001-short-title.md` */
  readonly name: string;
  readonly title: string;
}

export const MAX_SUMMARY_BYTES = 1024 * 1024;
/** Names have three digits. */
const MAX_SUMMARIES = 999;
const MAX_SLUG_LENGTH = 40;
const FOLDER = 'checkpoints';
const INDEX = 'index.md';
const NAME = /^(\d{3})-[^/\\]+\.md$/;
const INDEX_LINE = /^- \[((?:\\.|[^\\\]])*)\]\(([^)]+)\)$/gm;

/** Compaction summaries, `checkpoints/001-short-title.md`, and `checkpoints/index.md`, which lists them. */
export class CompactionSummaries {
  readonly #fs: SessionFs;
  readonly #folder: ArtifactFolder;
  /** The highest number; unknown before it was looked up. */
  #last: number | undefined;

  constructor(fs: SessionFs) {
    this.#fs = fs;
    this.#folder = new ArtifactFolder(fs, FOLDER);
  }

  /** Looks up the existing ones, so that `next` need not wait. */
  async load(): Promise<void> {
    this.#last = numberOf((await this.#names()).at(-1) ?? '');
  }

  /** Takes the next number at once, so that the log has summaries in the order in which they were made. `write` makes the file. */
  next(title: string): CompactionSummary {
    if (this.#last === undefined) throw new Error('load the checkpoints before the next one is made');
    if (this.#last >= MAX_SUMMARIES) {
      throw new StorageFailure(
        'TOO_MANY',
        `this session has ${MAX_SUMMARIES} compaction summaries; fork it to continue`,
      );
    }
    const number = ++this.#last;
    const line = title.replace(/\s+/g, ' ').trim() || `Checkpoint ${number}`;
    return { number, name: `${String(number).padStart(3, '0')}-${slug(line)}.md`, title: line };
  }

  /** The file's absolute path, as in the log. */
  pathOf({ name }: Pick<CompactionSummary, 'name'>): string {
    return this.#fs.join(requireStatePath(this.#fs), FOLDER, name);
  }

  async write({ name, title }: CompactionSummary, markdown: string): Promise<void> {
    const hasTitle = /^#\s/.test(markdown.trimStart());
    const content = hasTitle ? markdown : `# ${title}\n\n${markdown}`;
    checkSize(name, content, MAX_SUMMARY_BYTES);
    await this.#folder.write(name, content);
    await this.#writeIndex(new Map([[name, title]]));
  }

  /** In their order. */
  async list(): Promise<readonly CompactionSummary[]> {
    const [names, titles] = [await this.#names(), await this.#titles()];
    return names.map((name) => ({ number: numberOf(name), name, title: titles.get(name) ?? nameAsTitle(name) }));
  }

  async read(name: string): Promise<string> {
    return this.#fs.readFile(await this.#folder.locate(name));
  }

  locate(name: string): Promise<string> {
    return this.#folder.locate(name);
  }

  /** Removes those with a higher number than that path or name; all of them without one. */
  async removeAfter(last: string | undefined): Promise<void> {
    const lastNumber = numberOf(last?.split(/[\\/]/).at(-1) ?? '');
    const removed = (await this.#names()).filter((name) => numberOf(name) > lastNumber);
    for (const name of removed) await this.#folder.remove(name);
    if (removed.length > 0) await this.#writeIndex();
    this.#last = lastNumber;
  }

  async #names(): Promise<readonly string[]> {
    const { names } = await this.#folder.list();
    return names.filter((name) => NAME.test(name));
  }

  /** Made from the existing files, so that it is right again after an interrupted write. */
  async #writeIndex(known: ReadonlyMap<string, string> = new Map()): Promise<void> {
    const titles = new Map([...(await this.#titles()), ...known]);
    const lines: string[] = [];
    for (const name of await this.#names()) {
      const title = titles.get(name) ?? (await this.#heading(name)) ?? nameAsTitle(name);
      lines.push(`- [${title.replace(/[\\[\]]/g, '\\$&')}](${name})`);
    }
    await this.#folder.write(INDEX, ['# Checkpoints', '', ...lines, ''].join('\n'));
  }

  async #titles(): Promise<ReadonlyMap<string, string>> {
    const text = await this.read(INDEX).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return '';
      throw error;
    });
    const entries = [...text.matchAll(INDEX_LINE)];
    return new Map(entries.map(([, title = '', name = '']) => [name, title.replace(/\\(.)/g, '$1')]));
  }

  async #heading(name: string): Promise<string | undefined> {
    return /^#\s+(.*\S)/.exec((await this.read(name)).trimStart())?.[1];
  }
}

function numberOf(name: string): number {
  return Number(NAME.exec(name)?.[1] ?? 0);
}

function nameAsTitle(name: string): string {
  return name.replace(/^\d+-/, '').replace(/\.md$/, '').replaceAll('-', ' ');
}

/** Letters without accents and digits: a name that every file system accepts. */
function slug(title: string): string {
  const plain = title.slice(0, 1_000).normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const cut = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_SLUG_LENGTH);
  return cut.replace(/-$/, '') || 'checkpoint';
}
