import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_BRANCHES } from '@agenthost/protocol/internal';
import { readSmallFile } from '../../storage/fs/foreignFile.js';
import { commonDirAt } from './gitMetadata.js';

const MAX_PACKED_BYTES = 1024 * 1024;
const MAX_READ = 5_000;
const MAX_DEPTH = 16;
const MAX_NAME = 250;
const HEADS = 'refs/heads/';

/** The branches of the repository that a folder is in, by name. Git is not run, as for the other facts about a folder. */
export async function readBranches(folder: string): Promise<readonly string[]> {
  const commonDir = await commonDirAt(folder);
  if (commonDir === undefined) return [];
  const names = new Set<string>();
  const packed = (await readSmallFile(join(commonDir, 'packed-refs'), MAX_PACKED_BYTES)) ?? '';
  for (const [, name = ''] of packed.matchAll(/^[0-9a-f]{40,64} refs\/heads\/(.+)$/gm)) names.add(name);
  await addLoose(join(commonDir, HEADS), '', names, { left: MAX_READ, depth: 0 });
  return [...names].filter(isShown).sort().slice(0, MAX_BRANCHES);
}

interface Room {
  left: number;
  readonly depth: number;
}

/** A branch that is not packed is a file, and a `/` in its name is a folder. */
async function addLoose(folder: string, prefix: string, names: Set<string>, room: Room): Promise<void> {
  const entries = await opendir(folder).catch(() => undefined);
  if (!entries) return;
  const folders: string[] = [];
  for await (const entry of entries) {
    if (--room.left < 0) break;
    if (entry.isDirectory()) folders.push(entry.name);
    else if (entry.isFile() && !entry.name.endsWith('.lock')) names.add(`${prefix}${entry.name}`);
  }
  for (const name of room.depth < MAX_DEPTH ? folders : []) {
    const inner = { left: room.left, depth: room.depth + 1 };
    await addLoose(join(folder, name), `${prefix}${name}/`, names, inner);
    room.left = inner.left;
  }
}

/** Names that git itself would refuse are not passed on, and neither are those that no terminal shows as they are. */
function isShown(name: string): boolean {
  return name.length <= MAX_NAME && !name.startsWith('-') && !/[\p{Cc}\p{Cf}\s~^:?*[\\]/u.test(name);
}
