import { createHash } from 'node:crypto';
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '@agenthost/host/internal';
import type { DeviceTokens } from '@agenthost/host/maintenance';
import type { Role } from '@agenthost/protocol';

/** The name in `agenthost token ls`, and of the author for others. */
export const AHP_TOKEN_NAME = 'VS Code';
const FILE = 'ahp-token';

/**
 * The token for AHP clients: an ordinary device token, so that `agenthost token` lists and revokes it, with the requested role. It is
 * kept beside its hash, readable only by the user, because clients must find the same one after a restart.
 */
export async function ahpToken(
  { deviceTokens: devices, stateDir }: { readonly deviceTokens: DeviceTokens; readonly stateDir: string },
  role: Role,
  tokenName = AHP_TOKEN_NAME,
): Promise<string> {
  const path = join(stateDir, FILE);
  const known = (await devices.list()).find(({ name }) => name === tokenName);
  const kept = await readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  );
  if (known && known.role === role && kept !== undefined && known.sha256 === sha256(kept)) {
    await chmod(path, 0o600);
    return kept;
  }
  if (known && known.role !== role) await devices.remove(tokenName);
  const token = known?.role === role ? await devices.rotate(tokenName) : await devices.add(tokenName, role);
  await writePrivateFile(path, `${token}\n`);
  return token;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
