import type { PushNotify } from '@agenthost/protocol';
import { type Observable, observable } from '@agenthost/sessions';

export type Theme = 'system' | 'light' | 'dark';

export type NotifyMode = 'off' | PushNotify;

/** A host that this page shows beside the one that serves it. */
export interface KnownHost {
  /** Part of its provider's id. */
  readonly name: string;
  readonly url: string;
}

export interface Settings {
  readonly theme: Theme;
  readonly singleLetters: boolean;
  /** What this device is told of. */
  readonly notifications: NotifyMode;
  readonly hosts: readonly KnownHost[];
  /** The user's name that others see beside this page's actions. */
  readonly userName: string;
  /** Whether the user was asked for the name, and perhaps gave none. */
  readonly isNameAsked: boolean;
  /** The last known name of the machine that serves this page. */
  readonly machine: string;
}

const KEY = 'agenthost.settings';
const DEFAULTS: Settings = {
  theme: 'system',
  singleLetters: true,
  notifications: 'off',
  hosts: [],
  userName: '',
  isNameAsked: false,
  machine: '',
};
const MOST_HOSTS = 20;
const LONGEST_NAME = 60;

/** The user's settings for the page in this browser. It contains no token. */
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
      // The browser stores nothing: the setting holds until the page is closed.
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
      notifications: modeOf(stored.notifications),
      userName: nameOf(stored.userName),
      isNameAsked: stored.isNameAsked === true,
      machine: nameOf(stored.machine),
    };
  } catch {
    return DEFAULTS;
  }
}

/** It was a switch before. */
function modeOf(value: unknown): NotifyMode {
  if (value === 'needsInputAndFinished') return value;
  return value === 'needsInput' || value === true ? 'needsInput' : 'off';
}

function nameOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, LONGEST_NAME) : '';
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
