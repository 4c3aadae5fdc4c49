import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** The folder below the state root with one folder per added agent, named after its provider. */
export const AGENTS_FOLDER = 'agents';

export interface AgentInstall {
  /** The folder of the npm package. */
  readonly path: string;
  readonly version: string;
}

/**
 * Where an agent's npm package is, if it was added to the state root.
 *
 * Contract with the installer: `<state root>/agents/<provider>` is the root of an npm installation, so the package is
 * `<state root>/agents/<provider>/node_modules/<package name>`. It is made elsewhere and renamed when it is complete, so an
 * existing folder can be used, and an update replaces it as a whole.
 */
export async function resolveAgentInstall(
  agentsFolder: string,
  provider: string,
  packageName: string,
): Promise<AgentInstall | undefined> {
  const path = join(agentsFolder, provider, 'node_modules', ...packageName.split('/'));
  try {
    const manifest: unknown = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'));
    const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest && manifest.version;
    return typeof version === 'string' ? { path, version } : undefined;
  } catch {
    return undefined;
  }
}

/** Finds a program on an environment's PATH. Relative entries are skipped, because they depend on a folder. */
export async function findProgram(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    for (const candidate of names) {
      const path = join(folder, candidate);
      const found = await access(path, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (found) return path;
    }
  }
  return undefined;
}
