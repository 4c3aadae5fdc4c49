import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentRunner, silentLog } from '@agenthost/host/internal';
import { expect } from 'vitest';
import type { Cleanups } from '../cleanups.js';

const LEASE_MS = 60_000;
const PTY = { name: 'xterm', columns: 80, rows: 24 };
type Session = ReturnType<AgentRunner['of']>;
type Program = NonNullable<Session['left']>;

interface WhatItPrinted {
  readonly text: string;
  readonly bytes: number;
  readonly hash: string;
  readonly exit: { readonly exitCode: number; readonly signal?: number };
}

/** As a host opens it; what it leaves is ended after the test. */
export async function openRunner(cleanups: Cleanups, stateDir: string, leaseMs = LEASE_MS): Promise<AgentRunner> {
  const runner = await AgentRunner.open({ stateDir, leaseMs, log: silentLog });
  cleanups.push(() => AgentRunner.endLeft(stateDir));
  return runner;
}

/** A program as the shell agent runs it, or with pipes. */
export async function startProgram(session: Session, script: string, pty: typeof PTY | false = PTY): Promise<Program> {
  await session.reserve({ step: 1 });
  const env = { PATH: process.env['PATH'] ?? '' };
  return session.start({ file: '/bin/sh', args: ['-c', script], cwd: '/', env, ...(pty && { pty }) }, { step: 2 });
}

/** Reads from this byte on until the program ends. */
export async function readProgram(session: Session, from: number): Promise<WhatItPrinted> {
  const program = session.left ?? expect.fail('nothing is left');
  const hash = createHash('sha256');
  const pieces: Buffer[] = [];
  let bytes = 0;
  const followed = await session.follow(program, from, (piece) => {
    hash.update(piece);
    if (bytes < 4_000_000) pieces.push(piece);
    bytes += piece.length;
    followed.stored(from + bytes);
  });
  const exit = await followed.exited;
  return { text: Buffer.concat(pieces).toString('latin1'), bytes, exit, hash: hash.digest('hex') };
}

/** What the state folder says about the runner. */
export async function runnerRecord(stateDir: string): Promise<{ pid: number; socket: string; secret: string }> {
  return JSON.parse(await readFile(join(stateDir, 'runner/runner.json'), 'utf8'));
}
