import { type Observable, observable } from '@agenthost/sessions';

export type Theme = 'system' | 'light' | 'dark';

/** A host that this page shows beside the one that serves it. */
export interface KnownHost {
  /** Part of its provider's id. */
  readonly name: string;
  readonly url: string;
}

export interface Settings {
  readonly theme: Theme;
  readonly singleLetters: boolean;
  readonly notifications: boolean;
  readonly hosts: readonly KnownHost[];
}

const KEY = 'agenthost.settings';
const DEFAULTS: Settings = { theme: 'system', singleLetters: true, notifications: false, hosts: [] };
const MOST_HOSTS = 20;

/** What this browser remembers about how its user likes the page. No token is in it. */
export class SettingsStore {
  readonly #settings = observable(read());

  get value(): Observable<Settings> {
    return this.#settings;
  }

  update(changes: Partial<Settings>): void {
    const next = { ...this.#settings.value, ...changes };
    this.#settings.set({ ...next, hosts: next.hosts.slice(0, MOST_HOSTS) });
    try {
      localStorage.setItem(KEY, JSON.stringify(this.#settings.value));
    } catch {
      // A browser that keeps nothing: the setting holds until the page is closed.
    }
  }
}

function read(): Settings {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Partial<Settings>;
    const theme = stored.theme === 'light' || stored.theme === 'dark' ? stored.theme : 'system';
    const hosts = Array.isArray(stored.hosts) ? stored.hosts.filter(isKnownHost).slice(0, MOST_HOSTS) : [];
    return {
      theme,
      hosts,
      singleLetters: stored.singleLetters !== false,
      notifications: stored.notifications === true,
    };
  } catch {
    return DEFAULTS;
  }
}

function isKnownHost(value: unknown): value is KnownHost {
  const { name, url } = (value ?? {}) as Partial<KnownHost>;
  return typeof name === 'string' && typeof url === 'string' && URL.canParse(url);
}

export function applyTheme(theme: Theme): () => void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = () => {
    document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  };
  apply();
  dark.addEventListener('change', apply);
  return () => dark.removeEventListener('change', apply);
}
