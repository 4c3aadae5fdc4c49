// What git sees of a session's work, in a repository of very many files of which ten have changed: the list of changes and a
// snapshot, beside `git status` of the same run; and a new worktree, beside `git worktree add`.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionWork, silentLog, Worktrees } from '@agenthost/host/internal';
import { atMost } from '../support/figure.ts';
import { figureOf } from '../support/figures.ts';
import { measure } from '../support/measure.ts';

const IN_FOLDER = 100;
const CHANGED = 10;

await measure(async ({ quick }) => {
  const files = quick ? 1_000 : 10_000;
  const rounds = quick ? 3 : 15;
  const root = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
  const folder = join(root, 'repository');
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, env, stdio: 'pipe' });
  const work = new SessionWork({
    uri: 'mock:/bench',
    sessionId: 'bench',
    folder,
    dir: join(root, 'work'),
    mode: 'git',
    env,
    isTrusted: () => true,
    isTurnRunning: () => false,
    activeTurn: () => undefined,
    baseBranch: () => undefined,
    turnNumber: () => undefined,
    tell: () => true,
    onChanged: () => {},
    log: silentLog,
  });
  const worktrees = new Worktrees({ stateDir: join(root, 'state'), env, log: silentLog });
  const [status, lists, newLists, snapshots]: [number[], number[], number[], number[]] = [[], [], [], []];
  const [added, made]: [number[], number[]] = [[], []];
  try {
    writeFiles(folder, files);
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=a', '-c', 'user.email=b@c', 'commit', '-q', '-m', 'begin');
    await work.beforeTurn('first');
    for (let round = 0; round < rounds; round++) {
      change(folder, `${round}`);
      snapshots.push(await timed(() => work.afterTurn(`t${round}`)));
      // As people do: a list after a turn, and one while files change.
      lists.push(await timed(() => work.listChanges({ since: 'session' })));
      status.push(await timed(async () => git('--no-optional-locks', 'status', '--porcelain=v2')));
      change(folder, `${round} again`);
      newLists.push(await timed(() => work.listChanges({ since: 'session' })));
    }
    // Few: each round writes all files twice.
    for (let round = 0; round < Math.min(rounds, 5); round++) {
      const bare = join(root, `bare-${round}`);
      added.push(await timed(async () => git('worktree', 'add', '-q', '-b', `bare-${round}`, bare)));
      made.push(await timed(() => worktrees.make(`session-${round}`, folder, {})));
    }
  } finally {
    await work.close();
    rmSync(root, { recursive: true, force: true });
  }
  const about = { measure: 'work', unit: 'ms', better: 'lower', baseline: 'git status' } as const;
  const name = `at ${files} files, ${CHANGED} changed`;
  return {
    figures: [
      figureOf({ ...about, name: `list changes ${name}`, limit: atMost(1.5) }, lists, status),
      figureOf({ ...about, name: `list changes ${name} since the last look` }, newLists, status),
      figureOf({ ...about, name: `snapshot ${name}`, limit: atMost(100, 'value') }, snapshots, status),
      figureOf(
        { ...about, name: `create a worktree of ${files} files`, baseline: 'git worktree add', limit: atMost(1.5) },
        made,
        added,
      ),
    ],
    series: [],
  };
});

function writeFiles(folder: string, count: number): void {
  for (let index = 0; index < count; index++) {
    if (index % IN_FOLDER === 0) mkdirSync(join(folder, `${index / IN_FOLDER}`), { recursive: true });
    writeFileSync(fileOf(folder, index), `${index}\n`.repeat(20));
  }
}

function change(folder: string, text: string): void {
  for (let index = 0; index < CHANGED; index++) writeFileSync(fileOf(folder, index * 7), `${text} ${index}\n`);
}

function fileOf(folder: string, index: number): string {
  return join(folder, `${Math.floor(index / IN_FOLDER)}/${index}.txt`);
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
