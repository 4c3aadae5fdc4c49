import { join } from 'node:path';

export const LAN_FOLDER = 'lan';

/** The certificate of the authority that `serve --lan` has made, without its key. Commands on this machine trust it. */
export function authorityFile(stateDir: string): string {
  return join(stateDir, LAN_FOLDER, 'ca.pem');
}
