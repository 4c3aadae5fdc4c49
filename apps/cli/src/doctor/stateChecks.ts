import { access, chmod, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkToken,
  DeviceTokenError,
  DeviceTokens,
  examineVersion,
  SESSION_STATE_FOLDER,
  TokenFile,
  WeakTokenError,
} from '@agenthost/host/maintenance';
import { type Finding, ok } from './finding.js';

const MIN_FREE_BYTES = 64 * 1024 * 1024;

/** Checks that the state folder exists, its owner, and its free space. `undefined` when nothing else in it can be checked. */
export async function checkStateFolder(
  stateDir: string,
): Promise<{ readonly findings: Finding[]; readonly usable: boolean }> {
  const check = 'state folder';
  const found = await stat(stateDir).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    const missing = found.code === 'ENOENT';
    const finding: Finding = missing
      ? ok(check, `${stateDir} is not there yet; the first agenthost serve makes it.`)
      : {
          check,
          level: 'problem',
          what: `${stateDir}: ${found.message}.`,
          fix: 'Choose another with $AGENTHOST_HOME or --state-dir.',
        };
    return { findings: [finding], usable: false };
  }
  if (!found.isDirectory()) {
    const what = `${stateDir} is a file, not a folder.`;
    return {
      findings: [{ check, level: 'problem', what, fix: 'Move it away, or choose another with --state-dir.' }],
      usable: false,
    };
  }
  const unknown = await examineVersion(stateDir);
  if (unknown !== undefined) {
    const fix = 'Update agenthost, or choose another with --state-dir; nothing else in it was looked at.';
    return { findings: [{ check, level: 'problem', what: `${stateDir}: ${unknown}.`, fix }], usable: false };
  }
  const findings = [
    await checkRights(check, stateDir, found.mode, 0o700),
    await checkWritable(stateDir),
    await checkRoom(stateDir),
  ];
  return { findings, usable: true };
}

export async function checkTokenFile(stateDir: string): Promise<Finding> {
  const check = 'token';
  const { path } = new TokenFile(stateDir);
  const found = await stat(path).catch(() => undefined);
  if (!found) return ok(check, 'No token yet; the first agenthost serve makes one.');
  try {
    const { readFile } = await import('node:fs/promises');
    checkToken((await readFile(path, 'utf8')).trim(), path);
  } catch (error) {
    return {
      check,
      level: 'problem',
      what: error instanceof WeakTokenError ? error.what : `${(error as Error).message}.`,
      fix: 'Make a new one with agenthost token rotate.',
    };
  }
  return checkRights(check, path, found.mode, 0o600);
}

/** The device tokens; nothing if there are none. */
export async function checkDeviceTokens(stateDir: string): Promise<Finding[]> {
  const check = 'token';
  const devices = new DeviceTokens(stateDir);
  const found = await stat(devices.path).catch(() => undefined);
  if (!found) return [];
  try {
    await devices.list();
  } catch (error) {
    const fix = error instanceof DeviceTokenError ? error.whatToDo : `Make it readable: chmod 600 ${devices.path}`;
    return [{ check, level: 'problem', what: `No device is let in: ${(error as Error).message}`, fix }];
  }
  return [await checkRights(check, devices.path, found.mode, 0o600)];
}

async function checkRights(check: string, path: string, mode: number, wanted: number): Promise<Finding> {
  const isOpen = process.platform !== 'win32' && (mode & 0o077) !== 0;
  if (!isOpen) return ok(check, `${path} is for this user alone.`);
  return {
    check,
    level: 'problem',
    what: `${path} is open to other users (mode ${(mode & 0o777).toString(8)}).`,
    fix: `Close it to them: chmod ${wanted.toString(8)} ${path}`,
    mend: () => chmod(path, wanted),
  };
}

async function checkWritable(stateDir: string): Promise<Finding> {
  const check = 'state folder';
  try {
    for (const path of [stateDir, join(stateDir, SESSION_STATE_FOLDER)]) {
      await access(path, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
        if (path === stateDir || error.code !== 'ENOENT') throw error;
      });
    }
    return ok(check, 'It can be read and written.');
  } catch (error) {
    const { code, path = stateDir } = error as NodeJS.ErrnoException;
    return {
      check,
      level: 'problem',
      what: `${path} can't be read and written (${code}).`,
      fix: `Make it yours: sudo chown -R "$USER" ${stateDir}`,
    };
  }
}

async function checkRoom(stateDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(stateDir);
  const free = bavail * bsize;
  const megabytes = Math.floor(free / 1024 / 1024);
  if (free >= MIN_FREE_BYTES) return ok('disk', `${megabytes} MiB are free.`);
  return {
    check: 'disk',
    level: 'problem',
    what: `Only ${megabytes} MiB are free where ${stateDir} is.`,
    fix: 'Free some space; sessions that are not needed go with agenthost rm.',
  };
}
