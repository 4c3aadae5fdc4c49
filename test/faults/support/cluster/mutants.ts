import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { preload, WITHOUT_BUNDLE } from '../alteredHost.js';
import type { ClusterFault } from './clusterRun.js';

const BUILT = join(import.meta.dirname, '../../../../packages/host/dist');

/** A host with one promise less. */
export interface Mutant {
  readonly what: string;
  /** Under `packages/host/dist`. */
  readonly module: string;
  /** Each text occurs once in the module; the other takes its place. */
  readonly changes: readonly (readonly [from: string, to: string])[];
  /** The faults that show it. */
  readonly shownBy: readonly ClusterFault[];
  readonly found: RegExp;
}

export const MUTANTS: readonly Mutant[] = [
  {
    what: 'acknowledges before it has stored',
    module: 'state/delivery.js',
    changes: [['requireStored(source) {', 'requireStored(source) { return;']],
    shownBy: ['kill'],
    found: /lost|diverged/,
  },
  {
    what: 'keeps its replay when another host takes a session',
    module: 'state/publisher.js',
    changes: [['this.#replay.end(resource, serverSeq);', '']],
    shownBy: ['stop', 'cutClients', 'cutLinks'],
    found: /lost|diverged|hangs|never answered/,
  },
  {
    what: 'sends followers a snapshot that is older than the stream after it',
    module: 'cluster/linkServer.js',
    changes: [
      [
        'const session = await hub.open(uri);',
        'const session = await hub.open(uri); const early = session.state; await new Promise((resolve) => setTimeout(resolve, 100));',
      ],
      ['state: state,', 'state: early,'],
    ],
    shownBy: ['cutLinks', 'cutClients'],
    found: /lost|diverged|at host|hangs|never answered/,
  },
  {
    what: 'never looks whether another host has its sessions',
    module: 'cluster/lostSessions.js',
    changes: [['cluster.onPolled(() => void this.#loseTaken());', '']],
    shownBy: ['stop'],
    found: /diverged/,
  },
  {
    what: 'tells text that is not stored while it is cut off, and forgets to take it back',
    module: 'sessions/sessionStore.js',
    changes: [
      [
        'for (const client of new Set([...senders, ...this.#subscribers.list]))',
        'for (const client of new Set(senders))',
      ],
    ],
    shownBy: ['stop'],
    found: /diverged|hangs|never answered|lost/,
  },
];

/** The environment of a host in which those lines are replaced as they are loaded; no file is touched. */
export function mutated({ module, changes }: Pick<Mutant, 'module' | 'changes'>): Readonly<Record<string, string>> {
  return preload(`${WITHOUT_BUNDLE}
const changes = ${JSON.stringify(changes)};
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url !== ${JSON.stringify(pathToFileURL(join(BUILT, module)).href)}) return loaded;
    let source = String(loaded.source);
    for (const [from, to] of changes) {
      if (source.split(from).length !== 2) throw new Error('the mutant finds no line to change: ' + from);
      source = source.replace(from, () => to);
    }
    return { ...loaded, source };
  },
});`);
}
