import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The file that starts this command, as a service has to name it. */
export function commandScript(): string {
  return realpathSync(fileURLToPath(new URL('../bin/agenthost.cjs', import.meta.url)));
}
