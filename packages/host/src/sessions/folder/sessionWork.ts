import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { ActiveTurn, ToolCallState, URI } from '@agenthost/protocol';
import { untrustedFolder } from '@agenthost/protocol/internal';
import type { SessionStartRecord } from '../../storage/log/eventLog.js';
import { SessionChecks } from '../../work/checks/sessionChecks.js';
import { SessionWork } from '../../work/sessionWork.js';
import type { SessionServices } from '../sessionServices.js';
import type { SessionStore } from '../sessionStore.js';
import { projectFolderOf } from './gitMetadata.js';
import { sessionDirectory } from './sessionCustomizations.js';

interface Options {
  readonly uri: URI;
  readonly start: SessionStartRecord;
  readonly store: SessionStore;
  readonly services: Pick<
    SessionServices,
    'stateDir' | 'agentEnv' | 'snapshots' | 'broadcast' | 'newId' | 'now' | 'tests' | 'log'
  >;
  /** Its folder is on another machine. */
  readonly isAway: boolean;
}

/** What git sees of a session's folder. */
export function sessionWork({ uri, start, store, services, isAway }: Options): SessionWork {
  const { sessionId, space = 'default' } = start;
  return new SessionWork({
    uri,
    sessionId,
    folder: isAway ? '' : sessionDirectory(store.state, start),
    dir: join(services.stateDir, 'work', sessionId),
    landDir: join(services.stateDir, 'landing'),
    privateFolder: services.stateDir,
    mode: isAway ? 'none' : (services.snapshots ?? 'none'),
    env: services.agentEnv,
    isTrusted: () => untrustedFolder(store.state.summary) === undefined,
    baseBranch: () => {
      const name = store.state.summary.metadata?.['baseBranchName'];
      return typeof name === 'string' && name !== '' ? name : undefined;
    },
    isTurnRunning: () => store.state.activeTurn !== undefined,
    activeTurn: () => {
      const turn = store.state.activeTurn;
      return (
        turn && { id: turn.id, names: (path) => openCalls(turn).some((call) => JSON.stringify(call).includes(path)) }
      );
    },
    turnNumber: (turnId) => {
      const { turns, earlierTurns = 0 } = store.state;
      const index = turns.findIndex(({ id }) => id === turnId);
      return index === -1 ? undefined : earlierTurns + index + 1;
    },
    tell: (text, ownTurns) => {
      if (store.state.lifecycle !== 'ready' || store.state.activeTurn) return false;
      const turnId = services.newId();
      ownTurns.add(turnId);
      store.dispatch({ type: 'session/turnStarted', turnId, userMessage: { text: '' }, origin: 'agent' });
      const part = { kind: 'notice', id: `work-${randomUUID()}`, text, severity: 'info' } as const;
      store.dispatch({ type: 'session/responsePart', turnId, part });
      store.dispatch({ type: 'session/turnComplete', turnId });
      return true;
    },
    onChanged: () => services.broadcast({ type: 'notify/workChanged', session: uri }, { space, subscribersOf: uri }),
    onProgress: (progress) =>
      services.broadcast({ type: 'notify/progress', token: `push/${uri}`, ...progress }, { space, subscribersOf: uri }),
    tests: new SessionChecks({
      folder: () => (isAway ? '' : sessionDirectory(store.state, start)),
      projectFolder: () => projectFolderOf(sessionDirectory(store.state, start)),
      project: services.tests,
      env: services.agentEnv,
      isTrusted: () => untrustedFolder(store.state.summary) === undefined,
      current: () => store.state.tests,
      tell: (tests) => store.dispatch({ type: 'session/testsChanged', tests }),
      newId: services.newId,
      now: services.now,
    }),
    log: services.log,
  });
}

function openCalls({ toolCalls }: ActiveTurn): readonly ToolCallState[] {
  return Object.values(toolCalls).filter(({ status }) => status === 'running' || status === 'pendingConfirmation');
}
