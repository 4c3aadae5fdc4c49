// Shared code for comparing states of the public protocol.
import type { AhpVersion } from '../src/versions.js';
import type { Dialect } from './ahpFold.js';

// biome-ignore lint/suspicious/noExplicitAny: states of a protocol that this side does not define
type Ahp = any;

export interface Folded {
  session: Ahp;
  chat: Ahp;
}

const CURRENT: Dialect = { errorPart: true, inputPart: true, failed: 'failed', derivesTime: true };
const BEFORE_0_9: Dialect = { errorPart: false, inputPart: true, failed: 'creationFailed', derivesTime: false };
const BEFORE_0_8: Dialect = { ...BEFORE_0_9, inputPart: false };

/** What the versions differ in, told here again: the table of the gateway is what is tested. */
export const DIALECTS: Readonly<Record<AhpVersion, Dialect>> = {
  '1.1.0': CURRENT,
  '1.0.0': CURRENT,
  '0.10.0': CURRENT,
  '0.9.1': CURRENT,
  '0.9.0': CURRENT,
  '0.8.0': BEFORE_0_9,
  '0.7.0': BEFORE_0_8,
  '0.6.0': BEFORE_0_8,
  '0.5.2': BEFORE_0_8,
  '0.5.1': BEFORE_0_8,
  '0.5.0': BEFORE_0_8,
};

/**
 * Without what the two can't have in common: the answered questions, which our state forgets, and where among the parts an open
 * one stands. Before 0.9 also not a client's clock (`chat.modifiedAt`), and what has no action (`chat.title`). The
 * schema of a session's configuration has no action in any version.
 */
export function comparable({ session, chat }: Folded, { derivesTime }: Dialect): Ahp {
  const { modifiedAt, title: _, activeTurn, inputRequests = [], ...restOfChat } = chat;
  const parts: Ahp[] = activeTurn?.responseParts ?? [];
  return JSON.parse(
    JSON.stringify({
      session: { ...session, config: session.config?.values ?? {} },
      chat: {
        ...restOfChat,
        turns: chat.turns.map(withoutAnswered),
        ...(derivesTime && { modifiedAt, title: chat.title }),
      },
      activeTurn: activeTurn && withoutQuestions(activeTurn),
      questions: [
        ...inputRequests,
        ...parts.flatMap((part) => (part.kind === 'inputRequest' && !part.response ? [part.request] : [])),
      ].sort((a, b) => (a.id < b.id ? -1 : 1)),
    }),
  );
}

/** Of a turn that is over no question may be open. */
function withoutAnswered(turn: Ahp): Ahp {
  return { ...turn, responseParts: turn.responseParts.filter((part: Ahp) => !part.response) };
}

function withoutQuestions(turn: Ahp): Ahp {
  return { ...turn, responseParts: turn.responseParts.filter((part: Ahp) => part.kind !== 'inputRequest') };
}
