import { spawn } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the browser was told to open. */
export interface OpenedPage {
  dispose(): Promise<void>;
}

const FILE = 'open.html';

/**
 * Every user of a machine can read the command line of every process: the browser gets the name of a file that only this user can
 * read, and the file leads on. Its target works once, so the file is useless afterwards.
 */
export async function openInBrowser(oneTimeLink: URL, stateDir: string): Promise<OpenedPage> {
  const path = await writeOpenPage(oneTimeLink, stateDir);
  const [command = 'xdg-open', ...args] =
    process.platform === 'darwin'
      ? ['open', path]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', path]
        : ['xdg-open', path];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => process.stderr.write('The browser could not be opened: open the link yourself.\n'));
  child.unref();
  return { dispose: () => rm(path, { force: true }) };
}

/** The file that leads on. */
export async function writeOpenPage(oneTimeLink: URL, stateDir: string): Promise<string> {
  const path = join(stateDir, FILE);
  await rm(path, { force: true });
  await writeFile(path, redirectTo(oneTimeLink.href), { flag: 'wx', mode: 0o600 });
  return path;
}

/** The address is our own URL: it has no character that is special in HTML. */
function redirectTo(address: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>agenthost</title>
<p><a href="${address}">Open agenthost</a></p>
</html>
`;
}
