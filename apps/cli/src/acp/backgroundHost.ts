import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findHost } from '@agenthost/host/discovery';
import { CommandError, EXIT } from '../commandError.js';
import type { AddressOptions } from '../hostAddress.js';
import { safeLine } from '../text/safeText.js';

const START_MS = 30_000;
const LOOK_MS = 100;
const LOG_FILE = 'background.log';
const MAX_SAID = 500;

/** Starts a host of this machine unless one runs, or another one is meant. It goes on when this program ends. */
export async function startHostIfNone(options: AddressOptions, script: string, env = process.env): Promise<void> {
  const stateDir = options['state-dir'];
  const given = options.url ?? (/^https?:/.test(options.token ?? '') ? options.token : undefined);
  if (given !== undefined || (stateDir === undefined && env['AGENTHOST_URL'])) return;
  const place = findHost({ env, ...(stateDir !== undefined && { path: stateDir }) }).stateDir;
  if (await runs(place)) return;
  // The usual port keeps the page's address; another program may have it.
  for (const flags of [[], ['--port', '0']]) {
    if (await start(place, script, flags)) return;
  }
  throw new CommandError(
    EXIT.noHost,
    `No host could be started: ${said(join(place, LOG_FILE))}`,
    'Start one in a terminal with agenthost serve, which says more.',
  );
}

async function start(stateDir: string, script: string, flags: readonly string[]): Promise<boolean> {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const log = openSync(join(stateDir, LOG_FILE), 'w', 0o600);
  const child = spawn(process.execPath, [script, 'serve', `--state-dir=${stateDir}`, ...flags], {
    detached: true,
    cwd: homedir(),
    // What it prints is its link with the token: that is no matter for a file.
    stdio: ['ignore', 'ignore', log],
  });
  closeSync(log);
  child.unref();
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    if (await runs(stateDir)) {
      // Another editor was faster. A second host would wait for the end of the first.
      if (findHost({ path: stateDir, env: {} }).pid !== child.pid) child.kill();
      return true;
    }
    // Another editor may have been faster: then that host comes up instead.
    if (hasEnded(child) && findHost({ path: stateDir, env: {} }).pid === undefined) return false;
    await pause(LOOK_MS);
  }
  return false;
}

/** A host that was killed has left its address: somebody has to answer there. */
async function runs(stateDir: string): Promise<boolean> {
  const { url } = findHost({ path: stateDir, env: {} });
  if (url === undefined) return false;
  const { hostname, port, protocol } = new URL(url);
  const usual = protocol === 'https:' ? 443 : 80;
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || usual,
    timeout: LOOK_MS * 10,
  });
  try {
    return await new Promise<boolean>((resolve) => {
      socket
        .once('connect', () => resolve(true))
        .once('error', () => resolve(false))
        .once('timeout', () => resolve(false));
    });
  } finally {
    socket.destroy();
  }
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function said(log: string): string {
  try {
    return safeLine(readFileSync(log, 'utf8').trim()).slice(-MAX_SAID) || 'it said nothing.';
  } catch {
    return 'it said nothing.';
  }
}
