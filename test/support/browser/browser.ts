import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { ROOT, readJson } from '../../architecture/workspace.ts';

const run = promisify(execFile);

/**
 * A real browser: the Chromium that npm installs on Linux, elsewhere the Chrome of this machine. `AGENTHOST_TEST_BROWSER` names
 * another executable. Sites are isolated and origins are checked as usual: none of the flags that come with the
 * package are used. `wrap` may give a program that runs it elsewhere. The caller closes it.
 */
export async function launchBrowser(
  args: readonly string[] = [],
  wrap = async (executable: string) => executable,
): Promise<Browser> {
  const given = process.env['AGENTHOST_TEST_BROWSER'];
  if (given === undefined && process.platform !== 'linux')
    return chromium.launch({ channel: 'chrome', args: [...args] });
  return chromium.launch({
    executablePath: await wrap(given ?? (await unpackedChromium())),
    // The sandbox of Chromium can't be had by root, as which containers run their tests.
    args: [...args, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  });
}

/** Unpacked once for each version, beside where it is used, and moved there as a whole: several tests may want it at once. */
async function unpackedChromium(): Promise<string> {
  const { version } = readJson('node_modules/@sparticuz/chromium/package.json') as { version: string };
  const cache = join(ROOT, '.cache');
  const folder = join(cache, `chromium-${version}`);
  const executable = join(folder, 'chromium');
  if (existsSync(executable)) return executable;
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, 'chromium-draft-'));
  try {
    const script = join(import.meta.dirname, 'unpackChromium.ts');
    await run(process.execPath, [script], { cwd: ROOT, env: { ...process.env, TMPDIR: draft } });
    await rename(draft, folder).catch((error: unknown) => {
      if (!existsSync(executable)) throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  return executable;
}
