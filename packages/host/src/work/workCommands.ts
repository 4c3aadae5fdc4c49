import { type Author, type Commands, ERROR_CODE } from '@agenthost/protocol';
import type { ErrorData } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';
import { ChecksError, type ChecksProblem } from './checks/checksError.js';
import type { SessionChecks } from './checks/sessionChecks.js';
import { FileError, type FileProblem } from './files/fileError.js';
import { GitError, type GitProblem, TurnRunning } from './gitError.js';
import type { SessionWork } from './sessionWork.js';

type WorkMethod =
  | 'listChanges'
  | 'fetchDiff'
  | 'fetchVersion'
  | 'restoreFiles'
  | 'commitChanges'
  | 'previewMerge'
  | 'mergeChanges'
  | 'pushChanges'
  | 'pullRequest'
  | 'fetchChanges'
  | 'revertChanges'
  | 'rewindSession'
  | 'listFolder'
  | 'readFile'
  | 'findFiles'
  | 'checkFiles'
  | 'fetchTestCommand'
  | 'runTests'
  | 'stopTests';

type Runners = {
  readonly [M in WorkMethod]: (
    work: SessionWork,
    params: Commands[M]['params'],
    by: Author,
  ) => Promise<Commands[M]['result']>;
};

const BESIDE_A_TURN = { duringTurn: true, isBeside: true } as const;

/** What lands work is loaded when it is asked for. */
const RUNNERS: Runners = {
  listChanges: (work, params) => work.listChanges(params),
  fetchDiff: (work, params) => {
    const hasTrees = params.from !== undefined && params.to !== undefined;
    if ((params.since === undefined) !== hasTrees) throw invalid('either since, or from and to');
    return work.fetchDiff(params);
  },
  fetchVersion: (work, params) => work.fetchVersion(params),
  restoreFiles: (work, params, by) => {
    if ((params.toTurnId === undefined) === (params.undo === undefined)) throw invalid('either toTurnId or undo');
    return work.restore(params, by);
  },
  commitChanges: async (work, params, by) => {
    const { commitChanges } = await import('./land/commitChanges.js');
    return work.land(by, (context) => commitChanges(context, params));
  },
  previewMerge: async (work, params, by) => {
    const { previewMerge } = await import('./land/mergePreview.js');
    return work.land(by, (context) => previewMerge(context, params), BESIDE_A_TURN);
  },
  mergeChanges: async (work, params, by) => {
    const { mergeChanges } = await import('./land/mergeChanges.js');
    return work.land(by, (context) => mergeChanges(context, params));
  },
  pushChanges: async (work, params, by) => {
    const { pushChanges } = await import('./land/pushChanges.js');
    return work.land(by, (context) => pushChanges(context, params), BESIDE_A_TURN);
  },
  pullRequest: async (work, params, by) => {
    const { pullRequest } = await import('./land/pullRequest.js');
    return work.land(by, (context) => pullRequest(context, params), BESIDE_A_TURN);
  },
  fetchChanges: (work, params) => work.changes(params),
  revertChanges: (work, params, by) => work.revert(params, by),
  rewindSession: async ({ rewind }, params, by) => {
    if (!rewind) throw new GitError('refused', 'This session can not go back.');
    return rewind(params, by);
  },
  listFolder: ({ files }, params) => files.listFolder(params),
  readFile: ({ files }, params) => files.readFile(params),
  findFiles: ({ files }, params) => files.findFiles(params),
  checkFiles: ({ files }, params) => files.checkFiles(params),
  fetchTestCommand: async (work) => {
    const command = await testsOf(work).command();
    return command === undefined ? {} : { command };
  },
  runTests: (work, { command }, by) => testsOf(work).run(command, by),
  stopTests: async (work) => {
    await testsOf(work).stop();
    return null;
  },
};

const CODES: Readonly<Record<GitProblem, number>> = {
  noGit: ERROR_CODE.notFound,
  tooOld: ERROR_CODE.notFound,
  noRepository: ERROR_CODE.notFound,
  notFound: ERROR_CODE.notFound,
  notTrusted: ERROR_CODE.permissionDenied,
  refused: ERROR_CODE.permissionDenied,
  changed: ERROR_CODE.notFound,
  failed: ERROR_CODE.internalError,
  outputLimit: ERROR_CODE.internalError,
  timeout: ERROR_CODE.tooManyRequests,
  aborted: ERROR_CODE.tooManyRequests,
  busy: ERROR_CODE.tooManyRequests,
  noIdentity: ERROR_CODE.invalidRequest,
  nothing: ERROR_CODE.notFound,
  detached: ERROR_CODE.invalidRequest,
  inProgress: ERROR_CODE.invalidRequest,
  conflict: ERROR_CODE.invalidRequest,
  uncommitted: ERROR_CODE.invalidRequest,
  noRemote: ERROR_CODE.notFound,
  noAccess: ERROR_CODE.permissionDenied,
  rejected: ERROR_CODE.permissionDenied,
  unreachable: ERROR_CODE.tooManyRequests,
};

const FILE_CODES: Readonly<Record<FileProblem, number>> = {
  notFound: ERROR_CODE.notFound,
  refused: ERROR_CODE.permissionDenied,
  notAFile: ERROR_CODE.notFound,
  notAFolder: ERROR_CODE.notFound,
};

const CHECKS_CODES: Readonly<Record<ChecksProblem, number>> = {
  noCommand: ERROR_CODE.notFound,
  notTrusted: ERROR_CODE.permissionDenied,
  running: ERROR_CODE.invalidRequest,
  away: ERROR_CODE.notFound,
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
      throw new RpcError(ERROR_CODE.turnInProgress, error.message, { cause: error });
    }
    if (error instanceof FileError) {
      const data: ErrorData = { code: error.problem };
      throw new RpcError(FILE_CODES[error.problem], error.message, { data, cause: error });
    }
    if (error instanceof ChecksError) {
      const data: ErrorData = { code: error.problem };
      throw new RpcError(CHECKS_CODES[error.problem], error.message, { data, cause: error });
    }
    if (!(error instanceof GitError)) throw error;
    const data: ErrorData = { code: error.problem, ...(error.paths && { paths: error.paths }) };
    throw new RpcError(CODES[error.problem], error.message, { data, cause: error });
  }
}

function testsOf({ tests }: SessionWork): SessionChecks {
  if (tests) return tests;
  throw new ChecksError('away', 'This host runs no tests.');
}

function invalid(what: string): RpcError {
  return new RpcError(ERROR_CODE.invalidParams, `params: give ${what}`);
}
