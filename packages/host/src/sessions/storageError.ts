import type { SessionState } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';
import { ProviderFailure } from '../storage/fs/providerFailure.js';

/** What a turn says that was ended because its session could not be stored. */
export function storageError(error: unknown): { readonly errorType: 'storage'; readonly message: string } {
  const advice = ProviderFailure.behind(error) ? '' : ' Make room or mend the disk, then go on.';
  const message = `This session could not be stored (${errorMessage(error)}), so the turn was ended.${advice}`;
  return { errorType: 'storage', message };
}

/** Whether a message waits for its turn that neither a failure nor a user holds back. */
export function hasNextMessage(state: SessionState): boolean {
  const { lifecycle, activeTurn, steeringMessage, queuedMessages = [], turns } = state;
  const last = turns.at(-1);
  const isWaiting = steeringMessage !== undefined || queuedMessages.length > 0;
  return lifecycle === 'ready' && !activeTurn && isWaiting && last?.state !== 'error' && !last?.holdsQueue;
}
