import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

export interface RegistryPackage {
  readonly name: string;
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** A registry on loopback with packages that npm itself packed, so that no test needs another one. */
export class NpmRegistry {
  /** Paths that were asked for. */
  readonly requests: string[] = [];
  /** Called before a tarball is served; what it awaits delays that. */
  onTarball: (name: string) => Promise<void> | void = () => {};
  readonly #server: Server;
  readonly #folder: string;
  readonly #packages = new Map<string, { readonly manifest: RegistryPackage; readonly tarball: Buffer }>();

  static async start(...packages: readonly RegistryPackage[]): Promise<NpmRegistry> {
    const registry = new NpmRegistry(await mkdtemp(join(tmpdir(), 'agenthost-registry-')));
    for (const one of packages) await registry.#pack(one);
    await new Promise<void>((resolve) => registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer(async (request, response) => {
      const path = decodeURIComponent(request.url ?? '');
      this.requests.push(path);
      const [, name = '', isTarball] = /^\/((?:@[^/]+\/)?[^/]+)(\/-\/)?/.exec(path) ?? [];
      const found = this.#packages.get(name);
      if (!found)
        return void response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":"not found"}');
      if (!isTarball) return void response.end(JSON.stringify(this.#packument(found)));
      await this.onTarball(name);
      response.end(found.tarball);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  async dispose(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #pack(manifest: RegistryPackage): Promise<void> {
    const folder = join(this.#folder, manifest.name.replaceAll('/', '-'));
    const { files, ...rest } = manifest;
    for (const [path, content] of Object.entries({ ...files, 'package.json': JSON.stringify(rest) })) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content, { mode: 0o755 });
    }
    const { stdout } = await promisify(execFile)('npm', ['pack', '--json', '--ignore-scripts', '--loglevel=error'], {
      cwd: folder,
    });
    const parsed: unknown = JSON.parse(stdout);
    const [packed] = (Array.isArray(parsed) ? parsed : Object.values(parsed as object)) as { filename: string }[];
    this.#packages.set(manifest.name, { manifest, tarball: await readFile(join(folder, packed?.filename ?? '')) });
  }

  #packument({ manifest, tarball }: { manifest: RegistryPackage; tarball: Buffer }): object {
    const { files: _, ...rest } = manifest;
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
    const file = `${this.url}${manifest.name}/-/${manifest.name.split('/').at(-1)}-${manifest.version}.tgz`;
    const hasInstallScript = rest.scripts?.['postinstall'] !== undefined;
    const version = { ...rest, ...(hasInstallScript && { hasInstallScript }), dist: { tarball: file, integrity } };
    return {
      name: manifest.name,
      'dist-tags': { latest: manifest.version },
      versions: { [manifest.version]: version },
    };
  }
}
