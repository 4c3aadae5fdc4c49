import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';

const FIXTURES = join(import.meta.dirname, 'fixtures');

/** What the real agents wrote for the same six messages, by provider. */
export const RECORDED = {
  claude: '0d6907a0-9c12-4902-8d5d-d908fcb0261c',
  codex: '01a1ed40-f585-77c0-8db8-ae4c90c467a5',
  'copilot-acp': '263f0070-c7e0-458e-bc03-ec5920280c86',
  gemini: '92474e30',
  opencode: 'ses_e12becbcdffeR0ZzZFMbEWCTsz',
} as const;

export async function emptyHome(): Promise<string> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'agenthost-native-home-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** A home with the stores of all agents. */
export async function recordedHome(): Promise<string> {
  const home = await emptyHome();
  for (const agent of ['claude', 'codex', 'copilot-acp', 'gemini']) {
    await cp(join(FIXTURES, agent), home, { recursive: true });
  }
  const folder = join(home, '.local/share/opencode');
  await mkdir(folder, { recursive: true });
  const database = new DatabaseSync(join(folder, 'opencode.db'), { enableForeignKeyConstraints: false });
  database.exec(`pragma journal_mode = wal; ${await readFile(join(FIXTURES, 'opencode/opencode.sql'), 'utf8')}`);
  database.close();
  return home;
}

/** The names and contents of all files. */
export async function hashOf(folder: string): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }));
  for (const { entry, path } of paths.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    hash.update(path);
    if (entry.isFile()) hash.update(await readFile(path));
  }
  return hash.digest('hex');
}
