import { join } from 'node:path';
import { silentLog } from '../../src/hostLog.js';
import type { SnapshotMode } from '../../src/work/openWork.js';
import { SessionWork } from '../../src/work/sessionWork.js';
import type { TestRepository } from './repository.js';

export interface WorkOf {
  readonly work: SessionWork;
  isTurnRunning: boolean;
  isTrusted: boolean;
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
  } = {},
): WorkOf {
  const state = { isTurnRunning: false, isTrusted: true, changed: 0, said: [] as string[] };
  const work = new SessionWork({
    uri: `mock:/${sessionId}`,
    sessionId,
    folder,
    dir: join(repository.root, 'state/work', sessionId),
    mode,
    ...(ownFiles !== undefined && { ownLimits: { files: ownFiles, bytes: 1_000_000, listMs: 60_000 } }),
    env: repository.env,
    isTrusted: () => state.isTrusted,
    isTurnRunning: () => state.isTurnRunning,
    baseBranch: () => baseBranch,
    turnNumber: (turnId) => Number(turnId.slice(1)),
    tell: (text) => {
      state.said.push(text);
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
