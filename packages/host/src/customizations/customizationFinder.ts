import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isWithin } from '../storage/fs/confinement.js';
import { type ConfigurationFolder, type DiscoveryRoot, discover, type KnownFile } from './discover.js';
import { DISCOVERY_LIMITS, type Discovery, type DiscoveryLimits } from './foundCustomization.js';
import {
  HOME_PLACES,
  OBEYED_ABOVE,
  OBEYED_CONFIGURATION,
  type Place,
  STATE_ROOT_PLACES,
  WORKSPACE_PLACES,
} from './places.js';

/** Deeper than real folders are. */
const MAX_DEPTH = 256;

export interface CustomizationFinderOptions {
  readonly stateRoot: string;
  /** The environment of agents: it has the user's home, and MCP servers may refer to its variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits?: DiscoveryLimits;
}

export interface FoundInWorkspace extends Discovery {
  /** The folder that trust is asked for: the root of the session's checkout, or the project folder itself. */
  readonly workspace: string;
}

/** Finds the customizations of one session. The user's own come first, then the checkout's, then those of the project folder. */
export class CustomizationFinder {
  readonly #options: CustomizationFinderOptions;
  readonly #known = new Map<string, KnownFile>();

  constructor(options: CustomizationFinderOptions) {
    this.#options = options;
  }

  /** `withConfiguration` also finds configuration that agents read by themselves. */
  async find(cwd: string, gitRoot: string | undefined, { withConfiguration = false } = {}): Promise<FoundInWorkspace> {
    const { stateRoot, env, limits = DISCOVERY_LIMITS } = this.#options;
    const folder = await realpath(cwd);
    const workspace = (await ownCheckout(folder, gitRoot)) ?? folder;
    const home = env['HOME'] ?? env['USERPROFILE'];
    const roots = [
      ...(await userRoot(stateRoot, STATE_ROOT_PLACES, '')),
      ...(home ? await userRoot(home, HOME_PLACES, '~/') : []),
      ...[...new Set([workspace, folder])].map(
        (at): DiscoveryRoot => ({
          folder: at,
          inside: workspace,
          origin: 'workspace',
          places: WORKSPACE_PLACES,
          prefix: '',
        }),
      ),
    ];
    const configurationIn = withConfiguration ? await configurationFolders(folder, workspace, home) : [];
    return { workspace, ...(await discover({ roots, limits, env, known: this.#known, configurationIn })) };
  }
}

/**
 * Every folder in which an agent looks by itself: from the project folder up to the checkout's root, or without a checkout up to the
 * root of the file system, because any user may have left files in `/tmp`. It ends at the user's home, whose files are the
 * user's own and apply everywhere.
 */
async function configurationFolders(
  folder: string,
  workspace: string,
  home: string | undefined,
): Promise<ConfigurationFolder[]> {
  const { uid: owner } = await stat(folder);
  const realHome = home === undefined ? undefined : await realpath(home).catch(() => undefined);
  const isCheckout = workspace !== folder;
  const found: ConfigurationFolder[] = [];
  for (let at = folder, depth = 0; depth < MAX_DEPTH; at = dirname(at), depth++) {
    if (at !== folder && !isCheckout && at === realHome) break;
    const isOwn = at === folder || at === workspace;
    found.push({ folder: at, paths: isOwn ? OBEYED_CONFIGURATION : OBEYED_ABOVE, shownFrom: workspace, owner });
    if ((isCheckout && at === workspace) || dirname(at) === at) break;
  }
  return found.reverse();
}

async function userRoot(path: string, places: readonly Place[], prefix: string): Promise<DiscoveryRoot[]> {
  const folder = await realpath(path).catch(() => undefined);
  return folder === undefined ? [] : [{ folder, inside: folder, origin: 'user', places, prefix }];
}

/** A checkout above the folder counts only if both have the same owner: any user can make one in a shared folder like /tmp. */
async function ownCheckout(folder: string, gitRoot: string | undefined): Promise<string | undefined> {
  if (gitRoot === undefined) return undefined;
  try {
    const root = await realpath(gitRoot);
    const [above, own] = await Promise.all([stat(root), stat(folder)]);
    return above.uid === own.uid && isWithin(root, folder) ? root : undefined;
  } catch {
    return undefined;
  }
}
