import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { Role, SessionState, Turn } from '@agenthost/protocol';

const FOLDER = join(import.meta.dirname, 'corpus');

/** A session as a client saw it on the host that wrote it, just before that one was killed. */
export interface KeptSession {
  readonly uri: string;
  readonly summary: SessionState['summary'];
  /** All of them, also those that had left the memory. */
  readonly turns: readonly Turn[];
  readonly activeTurn?: SessionState['activeTurn'];
  readonly queuedMessages?: SessionState['queuedMessages'];
  readonly plan?: string;
  /** By their URI: the SHA-256 of large content and of artifacts. */
  readonly contents: Readonly<Record<string, string>>;
}

/** A device that was let in. Its token opens no host but those of this corpus: the folder that it was made for is gone. */
export interface KeptDevice {
  readonly name: string;
  readonly role: Role;
  readonly token: string;
}

/** A whole state root that an earlier commit of this project left behind, in one file. */
export interface Corpus {
  readonly commit: string;
  /** Commands that its host did not have yet. */
  readonly lacks: readonly string[];
  /** By their path below the state root; a character a byte, which compresses better than base64. */
  readonly files: Readonly<Record<string, string>>;
  readonly sessions: readonly KeptSession[];
  /** Absent where its host had no tokens for devices. */
  readonly devices?: readonly KeptDevice[];
}

export function listCorpora(): string[] {
  return readdirSync(FOLDER).map((name) => name.split('.')[0] ?? '');
}

export function sizeOfCorpora(): number {
  return readdirSync(FOLDER).reduce((sum, name) => sum + statSync(join(FOLDER, name)).size, 0);
}

export function readCorpus(commit: string): Corpus {
  return JSON.parse(brotliDecompressSync(readFileSync(join(FOLDER, `${commit}.json.br`))).toString()) as Corpus;
}

export async function writeCorpus(corpus: Corpus): Promise<number> {
  const bytes = brotliCompressSync(JSON.stringify(corpus));
  await writeFile(join(FOLDER, `${corpus.commit}.json.br`), bytes);
  return bytes.length;
}

/** Every file below a folder, by its path there. */
export async function readTree(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files: Record<string, string> = {};
  for (const path of paths.sort()) files[relative(folder, path)] = await readFile(path, 'latin1');
  return files;
}

export async function writeTree(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, path), content, { encoding: 'latin1', mode: 0o600 });
  }
}
