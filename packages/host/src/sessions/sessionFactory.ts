import { fileURLToPath } from 'node:url';
import {
  type ActiveTurn,
  isSafeKey,
  type SessionAction,
  type SessionState,
  type Turn,
  type URI,
} from '@agenthost/protocol';
import type { AgentRegistry } from '../agents/agentRegistry.js';
import type { HostLog } from '../hostLog.js';
import type { SessionStartRecord } from '../sessionFs/eventLog.js';
import type { StoredSession } from '../sessionFs/sessionStorage.js';
import type { Delivery } from '../state/delivery.js';
import type { Publisher } from '../state/publisher.js';
import type { SequenceSource } from '../state/sequenceSource.js';
import type { AcceptedSequences } from './acceptedSequences.js';
import { AgentRun } from './agentRun.js';
import { foldLog } from './foldLog.js';
import { Session } from './session.js';
import { SessionContent } from './sessionContent.js';
import { SessionStore } from './sessionStore.js';
import { SessionWorkspace } from './sessionWorkspace.js';
import { ToolOutputs } from './toolOutputs.js';

export interface SessionFactoryOptions {
  readonly agents: AgentRegistry;
  readonly delivery: Delivery;
  readonly publisher: Publisher;
  readonly sequence: SequenceSource;
  /** What agents' processes see; none of the host's secrets. */
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: HostLog;
  readonly agentIdleMs: number;
  readonly abortGraceMs: number;
  readonly onSummaryChanged: (state: SessionState) => void;
  /** When a turn starts, and when it has ended. */
  readonly onTurn: (uri: URI, turn: Turn | ActiveTurn) => void;
  /** A turn that could not be stored never was. */
  readonly onTurnTakenBack: (uri: URI, turnId: string) => void;
}

export interface SessionContents {
  readonly uri: URI;
  readonly start: Pick<SessionStartRecord, 'sessionId' | 'provider' | 'cwd' | 'config'>;
  readonly state: SessionState;
  readonly accepted?: AcceptedSequences;
}

/** Puts the parts of one session together. */
export async function createSession(
  stored: StoredSession,
  contents: SessionContents,
  options: SessionFactoryOptions,
): Promise<Session> {
  const { uri, start, state, accepted } = contents;
  const { agents, delivery, publisher, sequence, now, log } = options;
  const workspace = await SessionWorkspace.open(stored.fs, {
    sessionId: start.sessionId,
    cwd: start.cwd,
    state,
    now,
    log,
  });
  const store: SessionStore = new SessionStore({
    uri,
    state,
    ...(accepted && { accepted }),
    log: stored.log,
    contentStored: () => content.stored(),
    delivery,
    publisher,
    sequence,
    now,
    onChanged: (action, before) => changed(action, before),
    onTakenBack: (error, undone) => {
      summaryChanged();
      const kept = turnIds(store.state);
      for (const turnId of turnIds(undone)) if (!kept.has(turnId)) options.onTurnTakenBack(uri, turnId);
      session.storageFailed(error);
    },
  });
  const { provider, sessionId } = start;
  const onContentLost = (error: unknown) => log.error(`${uri}: content could not be stored`, error);
  const content = new SessionContent({ fs: stored.fs, provider, sessionId, onError: onContentLost });
  const outputs = new ToolOutputs(content, options.newId);
  const agent = agents.get(provider);
  const run =
    agent &&
    new AgentRun({
      agent,
      openOptions: () => ({
        sessionId: start.sessionId,
        cwd: directoryOf(store.state) ?? start.cwd,
        sessionFs: stored.fs,
        customizations: store.state.customizations ?? [],
        config: start.config ?? {},
        env: options.agentEnv,
        ...(store.state.summary.model !== undefined && { model: store.state.summary.model }),
        ...(workspace.nativeSessionId !== undefined && { resume: workspace.nativeSessionId }),
      }),
      onAction: (action) => {
        for (const passed of outputs.pass(action)) session.dispatchFromAgent(passed);
      },
      keepResult: (result) => outputs.keepResult(result),
      onPlan: (markdown) => workspace.writePlan(markdown),
      onOpened: (nativeSessionId) => workspace.setNativeSessionId(nativeSessionId),
      abortGraceMs: options.abortGraceMs,
      idleMs: options.agentIdleMs,
      newId: options.newId,
      log,
    });
  const session = new Session({
    store,
    stored,
    content,
    run,
    models: () => modelsOf(agents, start.provider),
    now,
    readAllTurns: async () => {
      await stored.log.flush();
      return (await foldLog(stored.log.load()))?.state.turns ?? [];
    },
    filesWritten,
    close: async () => {
      await filesWritten();
      try {
        await stored.log.close();
      } finally {
        await stored.fs.dispose();
      }
    },
  });
  return session;

  async function filesWritten(): Promise<void> {
    await workspace.settled();
    await content.settled();
  }

  function changed(action: SessionAction, before: SessionState): void {
    const { summary, turns, activeTurn } = store.state;
    if (summary !== before.summary) summaryChanged();
    const ended = turns.at(-1);
    if (ended && ended !== before.turns.at(-1)) options.onTurn(uri, ended);
    if (activeTurn && activeTurn.id !== before.activeTurn?.id) options.onTurn(uri, activeTurn);
    session.react(action);
  }

  function summaryChanged(): void {
    options.onSummaryChanged(store.state);
    workspace.summaryChanged(store.state);
  }
}

function turnIds({ turns, activeTurn }: SessionState): Set<string> {
  return new Set([...turns, ...(activeTurn ? [activeTurn] : [])].map(({ id }) => id));
}

function directoryOf(state: SessionState): string | undefined {
  const uri = state.summary.workingDirectory;
  return uri === undefined ? undefined : fileURLToPath(uri);
}

/** `undefined` where the agent names none: then any name is tried. */
function modelsOf(agents: AgentRegistry, provider: string): ReadonlySet<string> | undefined {
  const models = agents.infos().find((info) => info.provider === provider)?.models ?? [];
  return models.length > 0 ? new Set(models.map((model) => model.id).filter(isSafeKey)) : undefined;
}
