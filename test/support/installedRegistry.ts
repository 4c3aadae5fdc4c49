import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, readJson } from '../architecture/workspace.js';

const run = promisify(execFile);
const MAX_TARBALL_BYTES = 256 << 20;

interface Version {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly tarball: () => Promise<Buffer>;
}

/**
 * A registry on loopback with our own tarballs, and for everything else with what this repository has installed, packed when it is
 * asked for. So an installation needs no other registry, and gets the versions that the lock file names.
 */
export class InstalledRegistry {
  readonly #server: Server;
  readonly #versions = new Map<string, Map<string, Version>>();

  static async start(tarballs: readonly string[]): Promise<InstalledRegistry> {
    const registry = new InstalledRegistry();
    const { packages } = readJson('package-lock.json') as { packages: Record<string, { link?: boolean }> };
    for (const [path, { link }] of Object.entries(packages)) {
      // Those of other systems are named by the lock file, but not installed.
      if (path.includes('node_modules/') && !link && existsSync(join(ROOT, path, 'package.json'))) {
        registry.#add(readJson(`${path}/package.json`) as Version['manifest'], () => tar(join(ROOT, path)));
      }
    }
    for (const file of tarballs) {
      const { stdout } = await run('tar', ['-xzOf', file, 'package/package.json']);
      registry.#add(JSON.parse(stdout) as Version['manifest'], async () => readFileSync(file));
    }
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      const [name = '', version] = decodeURIComponent(request.url ?? '')
        .slice(1)
        .split('/-/');
      const versions = this.#versions.get(name);
      const found = version === undefined ? undefined : versions?.get(version.replace(/\.tgz$/, ''));
      if (!versions || (version !== undefined && !found)) response.writeHead(404).end('{}');
      else if (!found) response.end(JSON.stringify(this.#packument(name, versions)));
      else {
        found.tarball().then(
          (content) => response.end(content),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
      }
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async dispose(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #add(manifest: Version['manifest'], tarball: () => Promise<Buffer>): void {
    const [name, version] = [String(manifest['name']), String(manifest['version'])];
    const versions = this.#versions.get(name) ?? new Map<string, Version>();
    versions.set(version, { manifest, tarball });
    this.#versions.set(name, versions);
  }

  #packument(name: string, versions: ReadonlyMap<string, Version>): object {
    return {
      name,
      'dist-tags': { latest: [...versions.keys()].at(-1) },
      versions: Object.fromEntries(
        [...versions].map(([version, { manifest }]) => [
          version,
          { ...manifest, dist: { tarball: `${this.url}${name}/-/${version}.tgz` } },
        ]),
      ),
    };
  }
}

async function tar(folder: string): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: MAX_TARBALL_BYTES } as const;
  const args = ['-czf', '-', '--exclude', './node_modules', '--transform', 's,^\\.,package,', '-C', folder, '.'];
  return (await run('tar', args, options)).stdout;
}
