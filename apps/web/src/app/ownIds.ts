import { type Observable, observable } from '@agenthost/sessions';

const KEY = 'agenthost.clientIds';
const MOST = 200;

const ids = observable<ReadonlySet<string>>(new Set(read()));

/** The ids under which hosts have known this browser's pages: their actions are still "you" after a reload. */
export const ownIds: Observable<ReadonlySet<string>> = ids;

export function rememberOwnId(id: string): void {
  const all = [...read().filter((one) => one !== id), id].slice(-MOST);
  ids.set(new Set(all));
  try {
    localStorage.setItem(KEY, JSON.stringify(all));
  } catch {
    // The browser stores nothing: this page still knows itself.
  }
}

window.addEventListener('storage', ({ key }) => {
  if (key === KEY) ids.set(new Set([...ids.value, ...read()]));
});

function read(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(stored) ? stored.filter((one) => typeof one === 'string').slice(-MOST) : [];
  } catch {
    return [];
  }
}
