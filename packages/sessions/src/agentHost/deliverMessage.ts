import { ActionRejectedError, type SessionHandle } from '@agenthost/client';
import { REJECTION, type UserMessage } from '@agenthost/protocol';
import type { UnsentKind } from '../chat/unsentMessages.js';

/**
 * Brings a message to the host, whatever the session does by then: a turn is started, or it waits for one. The id is that of the
 * turn and of the waiting message alike, so that the host takes it once even when it is sent by two pages, or again after a
 * reload.
 */
export async function deliver(
  session: SessionHandle,
  kind: UnsentKind,
  id: string,
  message: UserMessage,
): Promise<void> {
  if (kind === 'edit') return session.editPending(id, message);
  if (isThere(session, id)) return;
  const { activeTurn, queuedMessages } = session.state.value;
  try {
    if (kind === 'steer' && activeTurn) await session.steer(message, id);
    else if (activeTurn || queuedMessages?.length) await session.queue(message, id);
    else await sendOrQueue(session, id, message);
  } catch (error) {
    if (!isRefusedFor(error, REJECTION.messageAlreadyInTurn, REJECTION.turnIdUsed)) throw error;
  }
}

async function sendOrQueue(session: SessionHandle, id: string, message: UserMessage): Promise<void> {
  try {
    await session.send(message, id);
  } catch (error) {
    // Somebody else was faster; the message must not be lost.
    if (!isRefusedFor(error, REJECTION.turnInProgress)) throw error;
    await session.queue(message, id);
  }
}

/** By the host's word: what is only predicted may still be refused. */
function isThere(session: SessionHandle, id: string): boolean {
  const { activeTurn, turns, queuedMessages, steeringMessage } = session.confirmed.value;
  const all = [activeTurn, ...turns, ...(queuedMessages ?? []), steeringMessage];
  const parts = [activeTurn, ...turns].flatMap((turn) => turn?.responseParts ?? []);
  return all.some((one) => one?.id === id) || parts.some((part) => part.kind === 'steering' && part.id === id);
}

function isRefusedFor(error: unknown, ...reasons: readonly string[]): boolean {
  return error instanceof ActionRejectedError && reasons.includes(error.reason);
}
