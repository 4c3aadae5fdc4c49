import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import { writeTree } from './corpusFile.ts';

const FOLDER = join(import.meta.dirname, 'builds');
/** Inside the repository: what the packages need besides each other is found in its node_modules. */
const UNPACKED = join(import.meta.dirname, '../../.cache/builds');
const SUFFIX = '.json.br';

/** The compiled packages of a release, as npm would put them into node_modules. */
export interface Build {
  readonly commit: string;
  /** By their path below node_modules; a character a byte. */
  readonly files: Readonly<Record<string, string>>;
}

/** The build of the last release, of which the repository has one. */
export function previousBuild(): { readonly commit: string; readonly bytes: number } {
  const [name = '', ...others] = readdirSync(FOLDER);
  if (!name.endsWith(SUFFIX) || others.length > 0) throw new Error(`${FOLDER} must have the build of one commit`);
  return { commit: name.slice(0, -SUFFIX.length), bytes: statSync(join(FOLDER, name)).size };
}

/** Unpacks it if it is not there yet. Returns the path of the command. */
export async function unpackPreviousBuild(): Promise<string> {
  const { commit } = previousBuild();
  const folder = join(UNPACKED, commit);
  const command = join(folder, 'node_modules/agenthost/dist/main.js');
  if (existsSync(command)) return command;
  const { files } = JSON.parse(
    brotliDecompressSync(readFileSync(join(FOLDER, `${commit}${SUFFIX}`))).toString(),
  ) as Build;
  await mkdir(UNPACKED, { recursive: true });
  // Under another name until it is complete: several tests may want it at once.
  const unfinished = await mkdtemp(`${folder}-`);
  await writeTree(join(unfinished, 'node_modules'), files);
  await rename(unfinished, folder).catch(async (error: unknown) => {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(command)) throw error;
  });
  return command;
}

/** Replaces the one that is there. Returns its size. */
export async function writePreviousBuild(build: Build): Promise<number> {
  const bytes = brotliCompressSync(JSON.stringify(build));
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER);
  await writeFile(join(FOLDER, `${build.commit}${SUFFIX}`), bytes);
  return bytes.length;
}
