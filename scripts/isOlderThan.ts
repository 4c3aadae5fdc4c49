import { existsSync, globSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Whether what was made of these files of the repository has to be made again. */
export function isOlderThan(made: string, inputs: readonly string[]): boolean {
  const since = existsSync(made) ? statSync(made).mtimeMs : 0;
  return globSync([...inputs], { cwd: root }).some((file) => statSync(join(root, file)).mtimeMs >= since);
}
