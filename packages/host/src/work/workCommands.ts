import { type Author, type Commands, ERROR_CODE } from '@agenthost/protocol';
import type { ErrorData } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { GitError, type GitProblem } from './gitError.js';
import { type SessionWork, TurnRunning } from './sessionWork.js';

type WorkMethod = 'listChanges' | 'fetchDiff' | 'restoreFiles';

type Runners = {
  readonly [M in WorkMethod]: (
    work: SessionWork,
    params: Commands[M]['params'],
    by: Author,
  ) => Promise<Commands[M]['result']>;
};

const RUNNERS: Runners = {
  listChanges: (work, params) => work.listChanges(params),
  fetchDiff: (work, params) => {
    const hasTrees = params.from !== undefined && params.to !== undefined;
    if ((params.since === undefined) !== hasTrees) throw invalid('either since, or from and to');
    return work.fetchDiff(params);
  },
  restoreFiles: (work, params, by) => {
    if ((params.toTurnId === undefined) === (params.undo === undefined)) throw invalid('either toTurnId or undo');
    return work.restore(params, by);
  },
};

const CODES: Readonly<Record<GitProblem, number>> = {
  noGit: ERROR_CODE.notFound,
  tooOld: ERROR_CODE.notFound,
  noRepository: ERROR_CODE.notFound,
  notFound: ERROR_CODE.notFound,
  notTrusted: ERROR_CODE.permissionDenied,
  refused: ERROR_CODE.permissionDenied,
  failed: ERROR_CODE.internalError,
  outputLimit: ERROR_CODE.internalError,
  timeout: ERROR_CODE.tooManyRequests,
  aborted: ERROR_CODE.tooManyRequests,
  busy: ERROR_CODE.tooManyRequests,
};

/** Carries out a command about the files of a session's folder. Its errors are those to answer with. */
export async function runWork<M extends WorkMethod>(
  work: SessionWork,
  method: M,
  params: Commands[M]['params'],
  by: Author,
): Promise<Commands[M]['result']> {
  try {
    return await RUNNERS[method](work, params, by);
  } catch (error) {
    if (error instanceof TurnRunning) {
      const message = 'Files are not restored while a turn runs. Stop the turn, or wait for its end.';
      throw new RpcError(ERROR_CODE.turnInProgress, message, { cause: error });
    }
    if (!(error instanceof GitError)) throw error;
    const data: ErrorData = { code: error.problem };
    throw new RpcError(CODES[error.problem], error.message, { data, cause: error });
  }
}

function invalid(what: string): RpcError {
  return new RpcError(ERROR_CODE.invalidParams, `params: give ${what}`);
}
