import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../storage/fs/errnoFailure.js';
import { writePrivateFile } from '../../storage/fs/writePrivateFile.js';
import { RunQueue } from '../runQueue.js';

const FILE = 'tests.json';
/** More than people give by hand; beyond it, the oldest are forgotten. */
const MAX_PROJECTS = 2_000;
/** Tests use a machine up: those of more sessions wait. */
const AT_ONCE = 4;
const MAX_WAITING = 64;
const LIMIT_MS = 15 * 60_000;

interface Entry {
  readonly folder: string;
  readonly command: string;
}

/** How the tests of each project are run, in a file of the state folder, and how many runs there are at once on this host. */
export class ProjectChecks {
  readonly queue = new RunQueue(AT_ONCE, MAX_WAITING);
  /** How long a run may take. */
  readonly limitMs: number;
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(stateDir: string, limitMs: number = LIMIT_MS) {
    this.#path = join(stateDir, FILE);
    this.limitMs = limitMs;
  }

  async commandOf(folder: string): Promise<string | undefined> {
    await this.#writing;
    return (await this.#read()).find((entry) => entry.folder === folder)?.command;
  }

  /** Rejects when it can't be stored; then the one before stays. */
  async keep(folder: string, command: string): Promise<void> {
    const written = this.#writing.then(async () => {
      const entries = await this.#read();
      if (entries.some((entry) => entry.folder === folder && entry.command === command)) return;
      const others = entries.filter((entry) => entry.folder !== folder);
      const projects = [...others, { folder, command }].slice(-MAX_PROJECTS);
      await writePrivateFile(this.#path, `${JSON.stringify({ projects }, undefined, 2)}\n`);
    });
    this.#writing = written.catch(() => undefined);
    await written;
  }

  /** Each time, so that what a user changes in it counts. An unreadable file has no commands. */
  async #read(): Promise<readonly Entry[]> {
    try {
      const { projects } = JSON.parse(await readFile(this.#path, 'utf8')) as { projects?: unknown };
      return Array.isArray(projects) ? projects.filter(isEntry) : [];
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return [];
      throw error;
    }
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { folder, command } = value as Partial<Entry>;
  return typeof folder === 'string' && typeof command === 'string';
}
