// Bundles the command into apps/cli/dist: a command loads one or two small files instead of a hundred, without the schemas, so
// that it starts in a fraction of the time. tsc checks its types; this makes the code that runs.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleHost } from './bundleHost.ts';
import { isOlderThan } from './isOlderThan.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const out = join(root, 'apps/cli/dist');
/** All its sources, as compiled by `tsc -b`. */
const INPUTS = [
  'apps/cli/src/**/*.{ts,tsx}',
  'apps/cli/package.json',
  'packages/{protocol,rpc,client,sessions}/dist/**/*.js',
  'packages/host/dist/{discovery,storage/**/*}.js',
  'scripts/bundleCli.ts',
];
/** Small modules that are needed at once; the host, Ink and React are loaded by the commands that use them. */
const BUNDLED =
  /^(@agenthost\/(protocol|rpc|client|sessions)(\/|$)|@agenthost\/host\/discovery$|@preact\/signals-core$|\.|\/)/;

const CORE =
  /packages\/(rpc|client|host)\/dist\/|packages\/protocol\/dist\/(?!schemas)|apps\/cli\/src\/((text|socket)\/.*|command|withHost|hostErrors|hostAddress|sessionName|output\/sessionTable|lan\/authorityFile)\.ts$/;

/** Parts of the host that have a bundle. Another copy of them would be loaded beside it. */
const IN_HOST_BUNDLE = /^@agenthost\/host(\/internal|\/maintenance)?$/;

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundleCli();

/** The host and the command. Does nothing without a change. */
export async function bundleCli(): Promise<void> {
  await bundleHost();
  if (!isOlderThan(join(out, 'main.js'), INPUTS)) return;
  const { build } = await import('vite');
  await build({
    configFile: false,
    logLevel: 'warn',
    mode: 'production',
    // The caller may have set NODE_ENV to something else, as vitest does.
    oxc: { jsx: { runtime: 'automatic', development: false } },
    root: join(root, 'apps/cli'),
    plugins: [
      {
        name: 'host-bundle',
        enforce: 'pre',
        resolveId: (id) =>
          IN_HOST_BUNDLE.test(id)
            ? { id: id.replace('@agenthost/host', '@agenthost/host/bundled'), external: true }
            : undefined,
      },
    ],
    build: {
      ssr: 'src/main.ts',
      outDir: out,
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      rollupOptions: {
        external: (id: string) => !BUNDLED.test(id) && !IN_HOST_BUNDLE.test(id),
        // Flat, so that a file has the same path as its source, relative to the package's folder.
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name]-[hash].js',
          // What nearly every command needs is one file: opening ten of them takes longer than reading it.
          // `--help` needs no more than the errors.
          codeSplitting: {
            groups: [
              { name: 'commandError', test: /apps\/cli\/src\/commandError\.ts$/, priority: 1 },
              { name: 'core', test: CORE },
            ],
          },
        },
      },
    },
    ssr: { noExternal: true },
  });
}
