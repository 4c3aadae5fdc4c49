import { type SessionState, sessionReducer } from '@agenthost/protocol';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { holds } from '../../../test/support/holds.js';
import { newSession, SESSION } from '../../protocol/test/reducers/arbitraryActions.js';
import { translateAction } from '../src/translate/actions.js';
import { patchAction, patchSnapshot } from '../src/translate/downlevel.js';
import { chatOf, sessionOf } from '../src/translate/state.js';
import { chooseVersion } from '../src/versions.js';
import type { Dialect } from './ahpFold.js';
import { history } from './arbitraryHistory.js';
import { comparable, type Folded } from './comparable.js';

// biome-ignore lint/suspicious/noExplicitAny: states of a protocol that this side does not define
type Ahp = any;

export interface FoldToTest {
  readonly version: string;
  readonly dialect: Dialect;
  /** Reducers of a client of that version. */
  readonly session: (state: Ahp, action: Ahp) => Ahp;
  readonly chat: (state: Ahp, action: Ahp) => Ahp;
  readonly numRuns: number;
}

const VIEW = { activeClients: [], name: SESSION, isReadOnly: false };

/** For random histories: a client that folded everything that was sent has the state of a new client, at every step. */
export function expectSameFold({ version, dialect, session, chat, numRuns }: FoldToTest): void {
  const traits = chooseVersion([version])?.traits;
  if (!traits) throw new Error(`${version} is not spoken`);
  const snapshot = (resource: string, state: Ahp) => patchSnapshot({ resource, state, fromSeq: 0 }, traits).state;
  const shown = (state: SessionState): Folded =>
    overTheWire({
      session: snapshot(SESSION, sessionOf(state, VIEW)),
      chat: snapshot('chat', chatOf(state, VIEW)),
    });
  holds(
    fc.property(history, (actions) => {
      let ours = newSession();
      let theirs = shown(ours);
      for (const action of actions) {
        const next = sessionReducer(ours, action);
        for (const { to, action: ahp } of translateAction(action, ours, next)) {
          const arrived = overTheWire(patchAction(ahp, traits));
          if (to === 'session') theirs = { ...theirs, session: session(theirs.session, arrived) };
          else theirs = { ...theirs, chat: chat(theirs.chat, arrived) };
        }
        ours = next;
        expect(comparable(theirs, dialect)).toEqual(comparable(shown(ours), dialect));
      }
    }),
    { numRuns },
  );
}

/** What JSON drops is not there. */
function overTheWire<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}
