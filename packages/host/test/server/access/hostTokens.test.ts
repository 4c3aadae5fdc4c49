import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Authenticator } from '../../../src/server/access/authenticator.js';
import { DEVICE_TOKENS_FILE } from '../../../src/server/access/deviceTokenFiles.js';
import { DeviceTokens } from '../../../src/server/access/deviceTokens.js';
import { HostTokens } from '../../../src/server/access/hostTokens.js';
import { openTokenFolder } from '../../../src/server/access/tokenSource.js';

let folder: string;
let tokens: HostTokens | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agenthost-tokens-'));
});
afterEach(async () => {
  await tokens?.dispose();
  await rm(folder, { recursive: true, force: true });
});

it('refuses devices while their file can’t be opened, and admits them when it can, without another change', async () => {
  const [stateRoot, elsewhere] = [join(folder, 'state'), join(folder, 'elsewhere')];
  await mkdir(stateRoot);
  const phone = await new DeviceTokens(stateRoot).add('phone', 'viewer');
  const [file, target] = [join(stateRoot, DEVICE_TOKENS_FILE), join(elsewhere, 'target')];
  await mkdir(target, { recursive: true });
  const saved = join(elsewhere, 'saved');
  await rename(file, saved);
  // A folder can't be read as a file. What happens to it is not seen by who watches the state root.
  await symlink(target, file);
  const authenticator = new Authenticator();
  const errors: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error: (message: string) => void errors.push(message) };
  tokens = await HostTokens.open({ source: await openTokenFolder(stateRoot, log), authenticator, log });
  expect(authenticator.identifyToken(tokens.owner)?.role).toBe('owner');
  expect(authenticator.identifyToken(phone)).toBeUndefined();
  expect(errors).toEqual([expect.stringContaining('trying again')]);
  await rm(target, { recursive: true });
  await rename(saved, target);
  await expect.poll(() => authenticator.identifyToken(phone)?.name, { timeout: 10_000 }).toBe('phone');
});
