import { realpath, stat } from 'node:fs/promises';
import { isWithin } from '../sessionFs/confinement.js';
import { type DiscoveryRoot, discover, type KnownFile } from './discover.js';
import { DISCOVERY_LIMITS, type Discovery, type DiscoveryLimits } from './foundCustomization.js';
import { HOME_PLACES, type Place, STATE_ROOT_PLACES, WORKSPACE_PLACES } from './places.js';

export interface CustomizationFinderOptions {
  readonly stateRoot: string;
  /** Of agents: their home is the user's, and MCP servers may name what is in it. */
  readonly env: Readonly<Record<string, string>>;
  readonly limits?: DiscoveryLimits;
}

export interface FoundInWorkspace extends Discovery {
  /** The folder that is trusted or not: the checkout that the session works in, or its folder alone. */
  readonly workspace: string;
}

/** Finds what there is for one session. The user's own comes first, then the checkout's, then that of the folder itself. */
export class CustomizationFinder {
  readonly #options: CustomizationFinderOptions;
  readonly #known = new Map<string, KnownFile>();

  constructor(options: CustomizationFinderOptions) {
    this.#options = options;
  }

  /** `withConfiguration` also finds what agents obey by themselves. */
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
    return { workspace, ...(await discover({ roots, limits, env, known: this.#known, withConfiguration })) };
  }
}

async function userRoot(path: string, places: readonly Place[], prefix: string): Promise<DiscoveryRoot[]> {
  const folder = await realpath(path).catch(() => undefined);
  return folder === undefined ? [] : [{ folder, inside: folder, origin: 'user', places, prefix }];
}

/** A checkout above the folder counts only where both have one owner: anybody can make one in a shared folder like /tmp. */
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
