// `npm run dev`: a host that is rebuilt and restarted when its sources change, and the page from a development server that
// reloads it. Clients reconnect and continue where they were. Flags go to `serve`.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FSWatcher, mkdirSync, watch } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer } from 'vite';

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** The sources of the host. The development server watches the page's own sources. */
const SOURCES = [
  'packages/protocol',
  'packages/rpc',
  'packages/client',
  'packages/sessions',
  'packages/host',
  'packages/ahp',
  'apps/cli',
];
/** Editors write a file in several steps. */
const QUIET_MS = 150;

const flags = process.argv.slice(2);
const flag = (name: string) => {
  const at = flags.indexOf(name);
  return at < 0 ? undefined : flags.splice(at, 2)[1];
};
// Not the state folder that is used for work.
const stateDir = flag('--state-dir') ?? join(ROOT, '.cache/dev-state');
const port = Number(flag('--port') ?? 0) || (await freePort());
const pagePort = Number(flag('--page-port') ?? 5173);
mkdirSync(stateDir, { recursive: true, mode: 0o700 });

const page = await createServer({
  configFile: join(ROOT, 'apps/web/vite.config.ts'),
  logLevel: 'warn',
  server: {
    host: '127.0.0.1',
    port: pagePort,
    proxy: {
      '/ws': { target: `http://127.0.0.1:${port}`, ws: true, changeOrigin: true },
      '/pair': { target: `http://127.0.0.1:${port}`, changeOrigin: true },
    },
  },
});
await page.listen();
const origin = new URL(page.resolvedUrls?.local[0] ?? '').origin;

let host: ChildProcess | undefined;
let timer: NodeJS.Timeout | undefined;
let isStopping = false;
let token = '';
let working: Promise<void> = startHost();
const watchers: FSWatcher[] = SOURCES.map((folder) => watch(join(ROOT, folder, 'src'), { recursive: true }, changed));
await working;
say(
  `The page reloads, and the host restarts, when their sources change. Open\n\n  ${origin}/#token=${token}\n\nCtrl+C stops both.`,
);

function changed(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    // One after the other: a change during a build is another build.
    working = working.then(rebuild);
  }, QUIET_MS);
}

async function rebuild(): Promise<void> {
  if (isStopping) return;
  const began = Date.now();
  for (const args of [[TSC, '-b', 'apps/cli'], [join(ROOT, 'scripts/bundleCli.ts')]]) {
    if ((await run(args)) !== 0) return say('The running host stays until that is fixed.');
  }
  await stopHost();
  if (isStopping) return;
  await startHost();
  say(`The host was restarted (${((Date.now() - began) / 1000).toFixed(1)} s).`);
}

async function startHost(): Promise<void> {
  const args = ['serve', '--json', '--port', `${port}`, '--state-dir', stateDir, '--allow-origin', origin, ...flags];
  const child = spawn(process.execPath, [join(ROOT, 'apps/cli/dist/main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  host = child;
  const exited = once(child, 'exit').then(([code]) => void (isStopping || child !== host || fail(Number(code))));
  const line = once(createInterface({ input: child.stdout }), 'line').then(([text]) => {
    token = new URL((JSON.parse(String(text)) as { link: string }).link).hash.slice('#token='.length);
  });
  await Promise.race([line, exited]);
}

async function stopHost(): Promise<void> {
  const child = host;
  host = undefined;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

function fail(code: number): void {
  say('The host has ended.');
  process.exitCode = code || 1;
  void stop();
}

async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  await stopHost();
  await page.close();
  await working.catch(() => {});
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop());

async function run(args: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: free } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return free;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
