import { lstat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { errorMessage } from '@agenthost/protocol/internal';
import { isWithin } from '../storage/fs/confinement.js';
import type { Discovery, DiscoveryLimits, FoundCustomization } from './foundCustomization.js';
import type { Place } from './places.js';
import { broken, type CandidateFile, readCustomizations } from './readCustomization.js';
import { isThere, lookAt, namesIn } from './workspaceFiles.js';

/** A folder to search. */
export interface DiscoveryRoot {
  /** A real path. */
  readonly folder: string;
  /** A real path: links may lead anywhere inside of it. */
  readonly inside: string;
  readonly origin: 'user' | 'workspace';
  readonly places: readonly Place[];
  /** How a path below `inside` is shown, e.g. with `~/` before it. */
  readonly prefix: string;
}

export interface DiscoverOptions {
  readonly roots: readonly DiscoveryRoot[];
  readonly limits: DiscoveryLimits;
  /** The variables that MCP servers may refer to in `${…}`. */
  readonly env: Readonly<Record<string, string>>;
  /** Earlier results by path and stamp; those that are still used stay in it. */
  readonly known: Map<string, KnownFile>;
  /** The folders to search for configuration that agents read by themselves. */
  readonly configurationIn: readonly ConfigurationFolder[];
}

/** A folder in which agents look for configuration by themselves. */
export interface ConfigurationFolder {
  /** A real path. */
  readonly folder: string;
  readonly paths: readonly string[];
  /** Paths are shown relative to this. */
  readonly shownFrom: string;
  /** The user whose files, beside those of root, may be trusted. */
  readonly owner: number;
}

export interface KnownFile {
  readonly stamp: string;
  readonly found: readonly FoundCustomization[];
}

/** Searches and reads. It runs nothing, follows no link that leads out, and reads only files that have changed. */
export async function discover({ roots, limits, env, known, configurationIn }: DiscoverOptions): Promise<Discovery> {
  const all: FoundCustomization[] = [];
  const files = new Set<string>();
  let textBytes = 0;
  const before = new Map(known);
  known.clear();
  const perPlace = await Promise.all(
    roots.map(async (root) => {
      const places = await placesIn(root);
      return { root, files: (await Promise.all(places.map((place) => filesAt(root, place, limits)))).flat() };
    }),
  );
  for (const { root, files: candidates } of perPlace) {
    for (const file of candidates) {
      // The same file under two names (a link, or a folder that is both home and project) counts once.
      const id = `${file.kind} ${file.seen.path}`;
      if (files.has(id)) continue;
      files.add(id);
      if (all.length >= limits.maxCustomizations) {
        const problem = `There are more than ${limits.maxCustomizations} customizations: the others are not used.`;
        if (all.length === limits.maxCustomizations) all.push(...broken(file, problem));
        continue;
      }
      const stamp = 'stamp' in file.seen ? file.seen.stamp : file.seen.problem;
      const key = `${id} ${file.origin}`;
      const last = before.get(key);
      const context = { folder: root.folder, env };
      const read = last?.stamp === stamp ? last.found : await readCustomizations(file, limits, context);
      known.set(key, { stamp, found: read });
      const isText = file.kind === 'instructions' || file.kind === 'agent';
      const isUsed = isText && read.every(({ problem }) => problem === undefined);
      if (isUsed && 'size' in file.seen) textBytes += file.seen.size;
      const tooMuch = `Not used: with it all texts are larger than ${limits.maxTotalTextBytes / 1024} KB.`;
      const found = isUsed && textBytes > limits.maxTotalTextBytes ? broken(file, tooMuch) : read;
      all.push(...found.slice(0, limits.maxCustomizations - all.length));
    }
  }
  const found = (await Promise.all(configurationIn.map(findConfiguration))).flat();
  return {
    customizations: all,
    configuration: found.map(({ shown }) => shown),
    foreignConfiguration: found.filter(({ isForeign }) => isForeign).map(({ shown }) => shown),
  };
}

/** This runs before each turn: without `.github`, nothing in it is searched. */
async function placesIn({ folder, places }: DiscoveryRoot): Promise<readonly Place[]> {
  const tops = [...new Set(places.map(topOf))];
  const there = new Set(
    (await Promise.all(tops.map(async (top) => ((await isThere(join(folder, top))) ? [top] : [])))).flat(),
  );
  return places.filter((place) => there.has(topOf(place)));
}

function topOf({ path }: Place): string {
  return path.split('/', 1)[0] ?? path;
}

async function filesAt(root: DiscoveryRoot, place: Place, limits: DiscoveryLimits): Promise<CandidateFile[]> {
  const { kind, path, suffix, inside } = place;
  const file = async (at: string): Promise<CandidateFile[]> => {
    const full = join(root.folder, at);
    const seen = await lookAt(root.inside, full);
    if (!seen) return [];
    return [candidate(root, place, full, 'problem' in seen ? { path: full, problem: seen.problem } : seen)];
  };
  if (suffix === undefined && inside === undefined) return file(path);
  const folder = join(root.folder, path);
  const seen = await lookAt(root.inside, folder);
  if (!seen) return [];
  const problem = (why: string) => [candidate(root, { kind }, folder, { path: folder, problem: why })];
  if ('problem' in seen) return problem(seen.problem);
  if (seen.type !== 'folder') return [];
  try {
    const { names, isCut } = await namesIn(seen.path, limits.maxNames);
    const fitting = names.filter((name) => suffix === undefined || name.endsWith(suffix));
    const used = fitting.slice(0, limits.maxPerPlace);
    const found = await Promise.all(
      used.map((name) => file(inside === undefined ? `${path}/${name}` : `${path}/${name}/${inside}`)),
    );
    const isMore = isCut || fitting.length > used.length;
    return [...found.flat(), ...(isMore ? problem(`It has too many entries: not all of them are used.`) : [])];
  } catch (error) {
    return problem(`It can't be read: ${errorMessage(error)}`);
  }
}

function candidate(
  { inside, folder, origin, prefix }: DiscoveryRoot,
  { kind }: Pick<Place, 'kind'>,
  full: string,
  seen: CandidateFile['seen'],
): CandidateFile {
  const label = `${prefix}${slashed(relative(inside, full))}`;
  return { kind, relativePath: slashed(relative(folder, full)), label, origin, seen };
}

async function findConfiguration({ folder, paths, shownFrom, owner }: ConfigurationFolder) {
  const found = await Promise.all(
    paths.map(async (path) => {
      const full = join(folder, path);
      // Also when it is a link that leads out, or unreadable: an agent may follow it.
      if (!(await isThere(full))) return [];
      const uid = (await lstat(full).catch(() => undefined))?.uid;
      const shown = isWithin(shownFrom, full) ? slashed(relative(shownFrom, full)) : full;
      return [{ shown, isForeign: uid !== undefined && uid !== owner && uid !== 0 }];
    }),
  );
  return found.flat();
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}
