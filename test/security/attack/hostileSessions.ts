import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RawClient } from '../../support/rawClient.js';

const LONG_TURNS = 20_000;
const WIDE_PARTS = 20_000;
const HEAVY = 150;
const FILES = 20_000;
const SKILLS = 1_000;
const DEPTH = 300;

/** Sessions and folders of the maximum size, or larger than needed. */
export interface HostileSessions {
  /** Of very many turns, named t0, t1 and so on. */
  readonly long: string;
  /** Its one turn has very many parts. */
  readonly wide: string;
  /** Its files are more than a list shows. */
  readonly artifacts: string;
  /** Each has a long title and as much metadata as is taken. */
  readonly heavy: readonly string[];
  readonly folders: {
    /** Of files with long names that are longer still as URIs. */
    readonly files: string;
    readonly folders: string;
    readonly skills: string;
    readonly deep: string;
  };
}

export function newSession(): string {
  return `mock:/${crypto.randomUUID()}`;
}

export function turn(id: string, text = 'hello there', responseParts: readonly object[] = [], more: object = {}) {
  const ended = { toolCalls: [], state: 'complete', startedAt: 1, endedAt: 2 };
  return { id, userMessage: { text }, responseParts, ...ended, ...more };
}

export function part(n: number, content = 'hello there') {
  return { kind: 'markdown', id: `p${n}`, content };
}

export async function makeHostileSessions(client: RawClient, stateDir: string): Promise<HostileSessions> {
  const [long, wide, artifacts] = [newSession(), newSession(), newSession()];
  const heavy = Array.from({ length: HEAVY }, newSession);
  for (let from = 0; from < LONG_TURNS; from += 1_000) {
    const turns = Array.from({ length: 1_000 }, (_, n) => turn(`t${from + n}`));
    await client.request('importSession', { session: long, turns, ...(from + 1_000 < LONG_TURNS && { more: true }) });
  }
  for (let from = 0; from < WIDE_PARTS; from += 5_000) {
    const parts = Array.from({ length: 5_000 }, (_, n) => part(from + n));
    const turns = [turn('t', 'x', parts, from > 0 ? { earlierParts: from } : {})];
    await client.request('importSession', { session: wide, turns, ...(from + 5_000 < WIDE_PARTS && { more: true }) });
  }
  const metadata = { much: 'x'.repeat(16_000) };
  for (const session of heavy) {
    await client.request('importSession', { session, title: 't'.repeat(1_000), metadata, turns: [] });
  }
  await client.request('importSession', { session: artifacts, turns: [] });
  await makeFiles(join(stateDir, 'sessions', artifacts.slice('mock:/'.length), 'files'), 12_000);
  return { long, wide, artifacts, heavy, folders: await makeFolders(join(stateDir, 'hostile')) };
}

async function makeFolders(root: string): Promise<HostileSessions['folders']> {
  const [files, folders, skills] = [join(root, 'files'), join(root, 'folders'), join(root, 'skills')];
  const deep = join(root, ...Array<string>(DEPTH).fill('d'));
  await makeFiles(files, FILES);
  await inBatches(2_000, (n) => mkdir(join(folders, `${n}`, '.git'), { recursive: true }));
  await inBatches(SKILLS, async (n) => {
    const skill = join(skills, '.claude', 'skills', `s${n}`);
    await mkdir(skill, { recursive: true });
    await writeFile(join(skill, 'SKILL.md'), `---\nname: s${n}\n${'? '.repeat(2_000)}\n---\n`);
  });
  await mkdir(deep, { recursive: true });
  const href = (path: string) => pathToFileURL(path).href;
  return { files: href(files), folders: href(folders), skills: href(skills), deep: href(deep) };
}

async function makeFiles(folder: string, count: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  await inBatches(count, (n) => writeFile(join(folder, `${n}-${'é'.repeat(110)}`), ''));
}

async function inBatches(count: number, make: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 500) {
    await Promise.all(Array.from({ length: Math.min(500, count - from) }, (_, n) => make(from + n)));
  }
}
