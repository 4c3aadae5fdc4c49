import {
  type PermissionRequestAction,
  type SessionAction,
  type SessionState,
  sessionReducer,
} from '@agenthost/protocol';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import { anyAction, newSession, OPENING, SESSION } from '../../protocol/test/reducers/arbitraryActions.js';
import { translateAction } from '../src/actions.js';
import { patchAction, patchSnapshot } from '../src/downlevel.js';
import { chatOf, sessionOf } from '../src/state.js';
import { AHP_VERSIONS, chooseVersion, type VersionTraits } from '../src/versions.js';
import { foldChat, foldSession } from './ahpFold.js';
import { comparable, DIALECTS, type Folded } from './comparable.js';

const VIEW = { activeClients: [], name: SESSION, isReadOnly: false };

const PROMPTS: ReadonlySet<string> = new Set<SessionAction['type']>([
  'session/toolStart',
  'session/toolUpdate',
  'session/toolComplete',
  'session/toolCallConfirmed',
  'session/permissionRequest',
  'session/permissionResolved',
]);

/** Calls and questions about them, on few ids: by chance alone two questions hardly ever meet on a call that runs. */
const promptAction = fc
  .tuple(
    anyAction.filter(({ type }) => PROMPTS.has(type)),
    fc.constantFrom('c1', 'c2'),
    fc.constantFrom('q1', 'q2', 'q3'),
    fc.boolean(),
  )
  .map(([action, toolCallId, requestId, more]) => focused(action, toolCallId, requestId, more));

function focused(action: SessionAction, toolCallId: string, requestId: string, more: boolean): SessionAction {
  switch (action.type) {
    case 'session/permissionRequest': {
      const options = [{ id: 'once', label: 'Once', kind: 'approve' as const }];
      const request = { ...action.request, requestId, toolCallId, ...(more && { options }) };
      return { ...action, turnId: 't1', request } satisfies PermissionRequestAction;
    }
    case 'session/permissionResolved':
      return { ...action, turnId: 't1', requestId };
    case 'session/toolStart': {
      const toolCall = {
        ...action.toolCall,
        toolCallId,
        ...(more && { toolInput: 'ls', toolKind: 'terminal' as const }),
      };
      return { ...action, turnId: 't1', toolCall };
    }
    case 'session/toolUpdate':
      return { ...action, turnId: 't1', toolCallId, ...(more && { output: 'x'.repeat(9_000) }) };
    case 'session/toolComplete':
    case 'session/toolCallConfirmed':
      return { ...action, turnId: 't1', toolCallId };
    default:
      return action;
  }
}

const PENDING: ReadonlySet<string> = new Set<SessionAction['type']>([
  'session/pendingMessageSet',
  'session/pendingMessageRemoved',
  'session/queuedMessagesReordered',
  'session/turnStarted',
  'session/turnComplete',
]);

/** Messages that wait, and turns that begin with them. */
const pendingAction = anyAction.filter(({ type }) => PENDING.has(type));

const history = fc
  .tuple(
    fc.constantFrom(...Array(9).fill(OPENING), []),
    fc.array(promptAction, { maxLength: 20 }),
    fc.array(pendingAction, { maxLength: 20 }),
    fc.array(anyAction, { maxLength: 40 }),
  )
  .map(([opening, prompts, pending, actions]): SessionAction[] => [...opening, ...prompts, ...pending, ...actions]);

// biome-ignore lint/suspicious/noExplicitAny: states of a protocol that this side does not define
type Ahp = any;

describe.each(AHP_VERSIONS)('%s', (version) => {
  const traits = traitsOf(version);
  const dialect = DIALECTS[version];

  it('what our state translates to is what the translated actions lead to, at every step', () => {
    holds(
      fc.property(history, (actions) => {
        let ours = newSession();
        let theirs = shown(ours);
        for (const action of actions) {
          const next = sessionReducer(ours, action);
          for (const { to, action: ahp } of translateAction(action, ours, next)) {
            // Over the wire: what JSON drops is not there.
            const arrived = JSON.parse(JSON.stringify(patchAction(ahp, traits)));
            if (to === 'session') theirs = { ...theirs, session: foldSession(theirs.session, arrived, dialect) };
            else theirs = { ...theirs, chat: foldChat(theirs.chat, arrived, dialect) };
          }
          ours = next;
          expect(comparable(theirs, dialect)).toEqual(comparable(shown(ours), dialect));
        }
      }),
      { numRuns: version === '0.9.0' ? 200 : 40 },
    );
  });

  function shown(state: SessionState): Folded {
    const snapshot = (resource: string, of: Ahp) => patchSnapshot({ resource, state: of, fromSeq: 0 }, traits).state;
    const both = {
      session: snapshot(SESSION, sessionOf(state, VIEW)),
      chat: snapshot('chat', chatOf(state, VIEW)),
    };
    return JSON.parse(JSON.stringify(both));
  }
});

function traitsOf(version: string): VersionTraits {
  const spoken = chooseVersion([version]);
  if (!spoken) throw new Error(`${version} is not spoken`);
  return spoken.traits;
}
