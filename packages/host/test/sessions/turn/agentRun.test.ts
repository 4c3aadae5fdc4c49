import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AgentSession, OpenSessionOptions } from '../../../src/agents/agent.js';
import type { AgentAction } from '../../../src/agents/events/agentAction.js';
import { mapFileEdits } from '../../../src/agents/events/mapFileEdits.js';
import { MockAgent } from '../../../src/agents/mock/mockAgent.js';
import { silentLog } from '../../../src/hostLog.js';
import { AgentRun } from '../../../src/sessions/turn/agentRun.js';
import type { TurnSink } from '../../../src/sessions/turn/turnSink.js';
import { openOptions } from '../../agents/support/sessions.js';

/** An agent that can't hold back its source. */
class RudeAgent extends MockAgent {
  override async openSession(options: OpenSessionOptions): Promise<AgentSession> {
    const session = await super.openSession(options);
    return Object.assign(session, { pause: undefined, resume: undefined }) as unknown as AgentSession;
  }
}

const TOO_MUCH = 65 * 1024 * 1024;

async function run(
  agent: MockAgent,
  waitingBytes: () => number,
  relieved: () => Promise<void>,
  begin = (agentRun: AgentRun) => agentRun.start('t1', { text: 'short' }),
) {
  const actions: AgentAction[] = [];
  const { signal: _, ...opening } = await openOptions();
  const over = Promise.withResolvers<void>();
  const sink: TurnSink = {
    isAlone: true,
    untilAlone: async () => {},
    preparation: undefined,
    hasHistory: false,
    leftTurn: async () => undefined,
    openOptions: async () => opening,
    agentOpened: () => {},
    agentForgotten: async () => {},
    wholeMessage: async (message) => ({ ...message, text: message.text.replace('short', 'stream 100') }),
    beginOwnTurn: () => true,
    keepFolder: () => undefined,
    dispatch: (action) => {
      actions.push(action);
      if (action.type === 'session/error' || action.type === 'session/turnComplete') over.resolve();
    },
    keepFiles: (result) => mapFileEdits(result, () => ({})),
    keepText: () => undefined,
    contentKeeper: () => () => ({ refused: undefined }),
    get waitingBytes() {
      return waitingBytes();
    },
    relieved,
    storageFailed: () => {},
    storeArtifact: () => {},
    settingsChanged: () => {},
    settingsAnswered: () => {},
    commandsChanged: () => {},
    approvalAdded: () => {},
    approvalsEnded: () => {},
  };
  const agentRun = new AgentRun({
    agent,
    sink,
    abortGraceMs: 1_000,
    idleMs: 10_000,
    newId: randomUUID,
    log: silentLog,
  });
  begin(agentRun);
  await over.promise;
  await agentRun.dispose();
  await agent.dispose();
  return actions;
}

describe('an agent that reports faster than it can be stored', () => {
  it('is ended with an error when it can not be paused, and far too much waits', async () => {
    const actions = await run(
      new RudeAgent(),
      () => TOO_MUCH,
      () => new Promise(() => {}),
    );
    expect(actions.at(-1)).toMatchObject({ type: 'session/error', error: { errorType: 'overflow' } });
  });

  it('waits until there is room, and then continues to its end', async () => {
    let waiting = 0;
    let relieved = 0;
    const actions = await run(
      new MockAgent(),
      () => {
        waiting += 1024 * 1024;
        return waiting;
      },
      async () => {
        relieved++;
        waiting = 0;
      },
    );
    expect(actions.at(-1)).toMatchObject({ type: 'session/turnComplete' });
    expect(relieved).toBeGreaterThan(1);
    // The whole message was sent, not the short one.
    expect(actions.map((action) => ('content' in action ? action.content : '')).join('')).toHaveLength(2_000);
  });
});

describe('a steering message', () => {
  it('belongs to the running turn, while the agent still leaves a cancelled one', async () => {
    const actions = await run(
      new MockAgent(),
      () => 0,
      async () => {},
      (agentRun) => {
        agentRun.start('t1', { text: 'slow' });
        // As soon as it has begun; the agent needs a moment to stop.
        setImmediate(() => {
          agentRun.cancel('t1');
          agentRun.start('t2', { text: 'steer' });
          void agentRun.steer({ text: 'this way' }, () => {});
        });
      },
    );
    expect(actions.at(-1)).toMatchObject({ type: 'session/turnComplete', turnId: 't2' });
    expect(actions.map((action) => ('content' in action ? action.content : '')).join('')).toContain(
      'Steered: this way',
    );
  });
});
