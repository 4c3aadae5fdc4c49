/** What a session was started with. */
export interface Choice {
  readonly agent: string;
  readonly model?: string | undefined;
  /** It worked in a worktree of its own. */
  readonly worktree?: boolean | undefined;
}

interface HostChoices {
  /** By folder, the last used at the end. */
  readonly folders: Readonly<Record<string, Choice>>;
  /** How often each agent was used. */
  readonly uses: Readonly<Record<string, number>>;
}

const KEY = 'agenthost.choices';
const MOST_HOSTS = 20;
const MOST_FOLDERS = 50;
const MOST_AGENTS = 50;
const NONE: HostChoices = { folders: {}, uses: {} };

/** What sessions were started with in this browser, by host and folder: the next one begins the same way. */
export class LastChoices {
  /** The folder that was used last, and what was used in it. */
  last(host: string): { readonly folder: string; readonly choice: Choice } | undefined {
    const [folder, choice] = Object.entries(read()[host]?.folders ?? {}).at(-1) ?? [];
    return folder === undefined || choice === undefined ? undefined : { folder, choice };
  }

  in(host: string, folder: string | undefined): Choice | undefined {
    const folders = read()[host]?.folders ?? {};
    return folder !== undefined && Object.hasOwn(folders, folder) ? folders[folder] : undefined;
  }

  usesOf(host: string, agent: string): number {
    const uses = read()[host]?.uses ?? {};
    return Object.hasOwn(uses, agent) ? (uses[agent] ?? 0) : 0;
  }

  remember(host: string, folder: string, choice: Choice): void {
    const { [host]: known = NONE, ...others } = read();
    const { [folder]: _, ...folders } = known.folders;
    const uses = { ...known.uses, [choice.agent]: (known.uses[choice.agent] ?? 0) + 1 };
    const next = {
      ...others,
      [host]: {
        folders: newest({ ...folders, [folder]: choice }, MOST_FOLDERS),
        uses: newest(uses, MOST_AGENTS),
      },
    };
    try {
      localStorage.setItem(KEY, JSON.stringify(newest(next, MOST_HOSTS)));
    } catch {
      // The browser stores nothing: the next form begins with the usual choices.
    }
  }
}

function newest<T>(entries: Readonly<Record<string, T>>, most: number): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).slice(-most));
}

function read(): Record<string, HostChoices> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    const hosts = Object.entries((stored ?? {}) as Record<string, Partial<HostChoices> | undefined>);
    return Object.fromEntries(
      hosts.map(([host, known]) => [host, { folders: validFolders(known?.folders), uses: validUses(known?.uses) }]),
    );
  } catch {
    return {};
  }
}

function validFolders(folders: unknown): Record<string, Choice> {
  const entries = Object.entries((folders ?? {}) as Record<string, Partial<Choice> | undefined>);
  return Object.fromEntries(
    entries.flatMap(([folder, choice]) => {
      const { agent, model, worktree } = choice ?? {};
      if (typeof agent !== 'string') return [];
      const rest = { ...(typeof model === 'string' && { model }), ...(worktree === true && { worktree }) };
      return [[folder, { agent, ...rest }]];
    }),
  );
}

function validUses(uses: unknown): Record<string, number> {
  const entries = Object.entries((uses ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.flatMap(([agent, count]) => (typeof count === 'number' ? [[agent, count]] : [])));
}
