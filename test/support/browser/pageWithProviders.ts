import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

const WEB = join(import.meta.dirname, '../../../apps/web');

/** A build of the page with this program in the place of `apps/web/src/main.tsx`. */
export async function buildPageWith(entry: string): Promise<{ folder: string; dispose(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'agenthost-page-'));
  const main = join(WEB, 'src/main.tsx');
  await build({
    configFile: join(WEB, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: folder, emptyOutDir: true },
    plugins: [{ name: 'another-entry', enforce: 'pre', load: (id) => (id === main ? entry : undefined) }],
  });
  return { folder, dispose: () => rm(folder, { recursive: true, force: true }) };
}
