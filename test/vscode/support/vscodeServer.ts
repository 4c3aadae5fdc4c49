import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { installVscode, type VscodeVersion } from './installVscode.ts';

export interface VscodeServer {
  /** The workbench with this folder open. */
  address(folder: string): string;
  dispose(): Promise<void>;
}

/** Where VS Code's server reaches the gateway of a host; browsers reach it through the server. */
export interface Bridge {
  readonly url: URL;
  readonly token: string;
}

export interface VscodeServerOptions {
  /** As for users: VS Code asks before the first turn in a folder. */
  readonly asksForTrust?: boolean;
}

/** VS Code's own server on a free port of loopback, with a home and data of its own. */
export async function startVscodeServer(
  version: VscodeVersion,
  { url, token }: Bridge,
  { asksForTrust = false }: VscodeServerOptions = {},
): Promise<VscodeServer> {
  const folder = await installVscode(version);
  const data = await mkdtemp(join(tmpdir(), 'agenthost-vscode-'));
  const child = spawn(
    process.execPath,
    [
      join(folder, 'out/server-main.js'),
      ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token', '--accept-server-license-terms'],
      ...['--server-data-dir', data, '--telemetry-level', 'off'],
      ...(asksForTrust ? [] : ['--disable-workspace-trust']),
      ...['--agent-host-bridge-host', url.hostname, '--agent-host-bridge-port', url.port],
      ...['--agent-host-bridge-connection-token', token],
    ],
    {
      cwd: folder,
      // A group of its own: what it starts for each window does not end with it.
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', HOME: data, LANG: 'C.UTF-8' },
    },
  );
  const exited = once(child, 'exit');
  const end = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGKILL');
      await exited;
    }
    await rm(data, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const port = await Promise.race([
      listeningPort(createInterface({ input: child.stdout })),
      exited.then(() => Promise.reject(new Error(`the server of VS Code ${version} ended before it listened`))),
    ]);
    return {
      address: (opened) => `http://127.0.0.1:${port}/?${new URLSearchParams({ folder: opened })}`,
      dispose: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Goes on reading afterwards, so that the pipe never fills. */
function listeningPort(lines: NodeJS.EventEmitter): Promise<number> {
  return new Promise((resolve) => {
    lines.on('line', (line: string) => {
      const port = /listening on (\d+)/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}
