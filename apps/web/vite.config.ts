import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, defineConfig, type Plugin } from 'vite';

const here = fileURLToPath(new URL('.', import.meta.url));

export default defineConfig({
  root: here,
  plugins: [diagramFrame(), serviceWorker(), compressed()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The page's policy has no room for data: fonts and scripts.
    assetsInlineLimit: 0,
  },
  // Languages of the highlighter are chunks of their own.
  worker: { format: 'es' },
});

/**
 * Makes the document that draws diagrams: mermaid and `src/diagram/frame.ts` as one inline script, so that it needs no network at
 * all. It is named after the hash of the script, which the host allows by that name and nothing else.
 */
function diagramFrame(): Plugin {
  let name = '';
  let document = '';
  return {
    name: 'diagram-frame',
    async config() {
      const built = await build({
        configFile: false,
        root: here,
        logLevel: 'error',
        publicDir: false,
        build: {
          write: false,
          target: 'es2023',
          rollupOptions: { input: join(here, 'src/diagram/frame.ts'), output: { format: 'iife' } },
        },
      });
      const [output] = (built as { readonly output: readonly { readonly code?: string }[] }).output;
      const library = fileURLToPath(new URL('mermaid.min.js', import.meta.resolve('mermaid')));
      const script = `${readFileSync(library, 'utf8')}\n${output?.code ?? ''}`.replaceAll('</script', '<\\/script');
      name = `assets/diagram-${createHash('sha256').update(script).digest('base64url')}.html`;
      document = `<!doctype html><meta charset="utf-8"><title>Diagram</title><body><script>${script}</script>`;
      return { define: { DIAGRAM_FRAME: JSON.stringify(`/${name}`) } };
    },
    configureServer({ middlewares }) {
      middlewares.use(`/${name}`, (_, response) => {
        response.setHeader('content-type', 'text/html; charset=utf-8');
        response.end(document);
      });
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: name, source: document });
    },
  };
}

/**
 * Makes `sw.js` from `src/worker`, one script that every browser can run, after the page: it has the list of the page's files. It keeps
 * those that the document needs; the browser's own cache has the rest, which is loaded when it is used.
 */
function serviceWorker(): Plugin {
  let folder = '';
  return {
    name: 'service-worker',
    apply: 'build',
    configResolved({ root, build: { outDir } }) {
      folder = resolve(root, outDir);
    },
    closeBundle: {
      order: 'pre',
      sequential: true,
      async handler() {
        const files = shellFiles(folder);
        const hash = createHash('sha256');
        for (const name of ['index.html', ...files]) hash.update(name).update(readFileSync(join(folder, name)));
        await build({
          configFile: false,
          root: here,
          logLevel: 'error',
          publicDir: false,
          define: {
            SHELL_FILES: JSON.stringify(files),
            SHELL_BUILD: JSON.stringify(hash.digest('hex').slice(0, 16)),
          },
          build: {
            outDir: folder,
            emptyOutDir: false,
            target: 'es2023',
            rollupOptions: {
              input: join(here, 'src/worker/serviceWorker.ts'),
              // The client loads them to keep sessions' files, which no worker does.
              external: ['@agenthost/protocol/schemas'],
              output: { format: 'iife', entryFileNames: 'sw.js' },
            },
          },
        });
      },
    },
  };
}

/** What the document loads at once, with the fonts of Latin text and the icons. */
function shellFiles(folder: string): string[] {
  const document = readFileSync(join(folder, 'index.html'), 'utf8');
  const named = [...document.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
  const scripts = named.filter((path) => path.endsWith('.js'));
  // Static imports of chunks that the document does not name itself.
  for (const path of scripts) {
    const text = readFileSync(join(folder, path), 'utf8');
    for (const [, name = ''] of text.matchAll(/(?:from|import)\s*"\.\/([\w.-]+\.js)"/g))
      if (!scripts.includes(`/assets/${name}`)) scripts.push(`/assets/${name}`);
  }
  const fonts = readdirSync(join(folder, 'assets')).filter((name) => /-latin-wght-normal-.*\.woff2$/.test(name));
  return [...new Set([...named, ...scripts, ...fonts.map((name) => `/assets/${name}`)])].sort();
}

/** The host serves these copies as they are: nothing is compressed while somebody waits. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed-copies',
    apply: 'build',
    configResolved({ root, build: { outDir } }) {
      folder = resolve(root, outDir);
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      handler() {
        for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
          if (!/\.(?:html|js|css|svg|webmanifest)$/.test(name)) continue;
          const path = join(folder, name);
          writeFileSync(`${path}.gz`, gzipSync(readFileSync(path), { level: 9 }));
        }
      },
    },
  };
}
