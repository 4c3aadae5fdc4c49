import { join } from 'node:path';
import { silentLog } from '../../src/hostLog.js';
import type { SnapshotMode } from '../../src/work/openWork.js';
import { SessionWork } from '../../src/work/sessionWork.js';
import { TestRepository } from './repository.js';

export interface WorkOf {
  readonly work: SessionWork;
  isTurnRunning: boolean;
  isTrusted: boolean;
  /** Of the running turn, and the files that its calls name. */
  turnId: string;
  named: string[];
  changed: number;
  readonly said: readonly string[];
  restore(params: Parameters<SessionWork['restore']>[0]): ReturnType<SessionWork['restore']>;
}

/** The work of a session in a folder of the repository. */
export function workOf(
  repository: TestRepository,
  {
    folder = repository.folder,
    mode = 'all' as SnapshotMode,
    sessionId = 's1',
    baseBranch = undefined as string | undefined,
    ownFiles = undefined as number | undefined,
    landDir = undefined as string | undefined,
  } = {},
): WorkOf {
  const state = {
    turnId: 't1',
    named: [] as string[],
    isTurnRunning: false,
    isTrusted: true,
    changed: 0,
    said: [] as string[],
  };
  const work = new SessionWork({
    uri: `mock:/${sessionId}`,
    sessionId,
    folder,
    dir: join(repository.root, 'state/work', sessionId),
    mode,
    ...(landDir !== undefined && { landDir }),
    ...(ownFiles !== undefined && { ownLimits: { files: ownFiles, bytes: 1_000_000, listMs: 60_000 } }),
    env: repository.env,
    isTrusted: () => state.isTrusted,
    isTurnRunning: () => state.isTurnRunning,
    activeTurn: () =>
      state.isTurnRunning ? { id: state.turnId, names: (path) => state.named.includes(path) } : undefined,
    baseBranch: () => baseBranch,
    turnNumber: (turnId) => Number(turnId.slice(1)),
    tell: (text) => {
      if (state.isTurnRunning) return false;
      state.said.push(text);
      return true;
    },
    onChanged: () => {
      state.changed++;
    },
    log: silentLog,
  });
  return Object.assign(state, {
    work,
    restore: (params: Parameters<SessionWork['restore']>[0]) => work.restore(params, { clientId: 'c1', name: 'Mira' }),
  });
}

/** A repository with a commit of a few files. */
export async function repositoryWithFiles(): Promise<TestRepository> {
  const repository = await TestRepository.make();
  await repository.write('a.txt', 'one\ntwo\nthree\n');
  await repository.write('sub/b.txt', 'b\n');
  await repository.write('old.txt', 'a line that stays\n'.repeat(20));
  await repository.write('.gitignore', 'ignored.txt\n');
  await repository.commit();
  return repository;
}

/** A turn that changes files. */
export async function runTurn({ work }: WorkOf, id: string, change: () => Promise<void>): Promise<void> {
  await work.beforeTurn(id);
  await change();
  await work.afterTurn(id);
}
