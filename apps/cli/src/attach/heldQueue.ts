import type { SessionState } from '@agenthost/protocol';
import type { AttachModel } from './attachModel.js';

/** Why the messages that wait are not sent by themselves; `undefined` while they are, or where none waits. */
export function queueHold(state: SessionState | undefined): 'stopped' | 'failed' | undefined {
  const waits = (state?.queuedMessages?.length ?? 0) > 0 || state?.steeringMessage !== undefined;
  const last = state?.activeTurn ? undefined : state?.turns.at(-1);
  if (!waits || !last) return undefined;
  if (last.holdsQueue) return 'stopped';
  return last.state === 'error' ? 'failed' : undefined;
}

/** Stops the turn. Messages that wait are held until they are let go, as on the page. */
export function stopTurn(model: AttachModel): void {
  const { chat } = model;
  if (!chat) return;
  model.attempt(chat.cancel({ holdQueue: true }));
}

/** Sends the first message that waits; the others follow. */
export function letQueueGo(model: AttachModel): void {
  const { chat } = model;
  if (chat && queueHold(chat.state.value)) model.attempt(chat.resumeQueue());
  else model.notify('No message is held.');
}
