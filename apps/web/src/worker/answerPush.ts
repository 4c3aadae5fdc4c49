import { ActionRejectedError, connect, SessionGoneError, UnauthorizedError } from '@agenthost/client';
import type { PushAnswer } from '@agenthost/protocol/internal';
import { loadDevice } from '../push/deviceStore.js';

/** How long the host may take: a phone ends a worker that takes longer. */
const PATIENCE_MS = 20_000;

/**
 * Answers a question with the token of this device, over a connection of its own: the same action as in the page, which the host accepts
 * once. Returns what to tell the user, or `undefined` when the answer was accepted.
 */
export async function answerPush(
  origin: string,
  session: string,
  { turnId, toolCallId, requestId }: PushAnswer,
  approved: boolean,
): Promise<string | undefined> {
  const device = await loadDevice();
  if (!device) return 'This device is not signed in. Open the page to answer.';
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const { token, userName, deviceName, subscription } = device;
    const clientInfo = { name: userName, device: deviceName };
    const host = await connect({ url: new URL(origin), token, clientInfo, commandTimeoutMs: PATIENCE_MS }, signal);
    try {
      // Whoever answers looks: this device need not be told that the question is closed.
      await host.push.lookAt(session, subscription, { signal }).catch(() => {});
      const opened = await orAborted(signal, host.openSession(session, { turns: 1 }));
      const answered = opened.dispatch(
        toolCallId !== undefined
          ? { type: 'session/toolCallConfirmed', turnId, toolCallId, approved }
          : { type: 'session/permissionResolved', turnId, requestId: requestId ?? '', approved },
      );
      await orAborted(signal, answered);
      return undefined;
    } finally {
      host.close();
    }
  } catch (error) {
    return problemOf(error);
  }
}

function orAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

function problemOf(error: unknown): string {
  if (error instanceof ActionRejectedError) {
    const by = error.rejection?.by?.name;
    return by === undefined ? 'This question is no longer open.' : `${by} has answered already.`;
  }
  if (error instanceof SessionGoneError) return 'This session was deleted.';
  if (error instanceof UnauthorizedError) return 'This device is no longer signed in. Open the page to sign in.';
  return "The host isn't answering. Open the page to try again.";
}
