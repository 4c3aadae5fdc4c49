// What is common to comparing states of the public protocol, whoever made them.
import type { AhpVersion } from '../src/versions.js';
import type { Dialect } from './ahpFold.js';

// biome-ignore lint/suspicious/noExplicitAny: states of a protocol that this side does not define
type Ahp = any;

export interface Folded {
  session: Ahp;
  chat: Ahp;
}

/** What the versions differ in, told here again: the table of the gateway is what is tested. */
export const DIALECTS: Readonly<Record<AhpVersion, Dialect>> = {
  '1.0.0': { errorPart: true, inputPart: true, failed: 'failed' },
  '0.10.0': { errorPart: true, inputPart: true, failed: 'failed' },
  '0.9.0': { errorPart: true, inputPart: true, failed: 'failed' },
  '0.8.0': { errorPart: false, inputPart: true, failed: 'creationFailed' },
  '0.7.0': { errorPart: false, inputPart: false, failed: 'creationFailed' },
  '0.6.0': { errorPart: false, inputPart: false, failed: 'creationFailed' },
  '0.5.2': { errorPart: false, inputPart: false, failed: 'creationFailed' },
  '0.5.1': { errorPart: false, inputPart: false, failed: 'creationFailed' },
  '0.5.0': { errorPart: false, inputPart: false, failed: 'creationFailed' },
};

/**
 * Without what the two can't have in common: a client's clock (`chat.modifiedAt`), what has no action (`chat.title`, what a
 * session does), the answered questions, which our state forgets, and where among the parts an open one stands.
 */
export function comparable({ session, chat }: Folded): Ahp {
  const { modifiedAt: _, title: __, activeTurn, inputRequests = [], ...restOfChat } = chat;
  const chats = session.chats.map((entry: Ahp) => ({ ...entry, activity: entry.activity || undefined }));
  const parts: Ahp[] = activeTurn?.responseParts ?? [];
  return JSON.parse(
    JSON.stringify({
      session: { ...session, status: session.status & 96, chats },
      chat: { ...restOfChat, turns: chat.turns.map(withoutAnswered), activity: chat.activity || undefined },
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
