import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The built page: inside the published command, or beside it in the source tree. */
export function pageFolder(): string {
  const published = join(import.meta.dirname, 'page');
  return existsSync(published) ? published : join(import.meta.dirname, '../../web/dist');
}
