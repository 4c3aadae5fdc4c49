import type { ActionEnvelope, RootAction, RootState } from '@agenthost/protocol';
import { createRootState, ROOT_URI, rootReducer } from '@agenthost/protocol';
import { describe, expect, it, vi } from 'vitest';
import { MAX_BUFFERED_ENVELOPES, Subscription } from '../src/sync/subscription.js';

function create() {
  const events = { onSettled: vi.fn(), onApplied: vi.fn(), onOverflow: vi.fn(), reportError: vi.fn() };
  const subscription = new Subscription<RootState, RootAction>({
    resource: ROOT_URI,
    clientId: 'me',
    reducer: rootReducer,
    initial: createRootState(),
    ...events,
  });
  return { subscription, ...events };
}

const agent = (provider: string): RootState['agents'][number] => ({
  provider,
  displayName: provider,
  description: '',
  models: [],
  availability: { state: 'available' },
});
const envelope = (serverSeq: number, more: Partial<ActionEnvelope> = {}): ActionEnvelope => ({
  action: { type: 'root/agentsChanged', agents: [agent(`a${serverSeq}`)] },
  serverSeq,
  ...more,
});
const provider = (subscription: Subscription<RootState, RootAction>) => subscription.state.value.agents[0]?.provider;

describe('subscription', () => {
  it('drops envelopes that the snapshot contains and applies later ones', () => {
    const { subscription, onApplied } = create();
    subscription.beginSync();
    for (const seq of [4, 5, 6, 6, 7]) subscription.receive(envelope(seq));
    expect(subscription.state.value.agents).toEqual([]);
    subscription.applySnapshot({ agents: [agent('snapshot')] }, 5);
    expect([provider(subscription), onApplied.mock.calls]).toEqual(['a7', [[6], [7]]]);
  });

  it('does not count waiting envelopes as seen, because they are lost with the connection', () => {
    const { subscription, onApplied } = create();
    subscription.applySnapshot(createRootState(), 1);
    subscription.beginSync();
    subscription.receive(envelope(2));
    expect(onApplied).not.toHaveBeenCalled();
    subscription.beginSync();
    subscription.applyReplay([envelope(2), envelope(3)]);
    expect(onApplied.mock.calls).toEqual([[2], [3]]);
  });

  it('settles an own action by an echo that the snapshot already contains, without applying it again', () => {
    const { subscription, onSettled } = create();
    subscription.beginSync();
    subscription.predict(1, { type: 'root/agentsChanged', agents: [agent('mine')] });
    subscription.receive(envelope(5, { origin: { clientId: 'me', clientSeq: 1 } }));
    subscription.applySnapshot({ agents: [agent('later')] }, 9);
    expect([provider(subscription), onSettled.mock.calls, subscription.pendingCount]).toEqual(['later', [[1, {}]], 0]);
  });

  it('handles a rejection at once, whatever its number, without counting it as seen', () => {
    const { subscription, onSettled, onApplied } = create();
    subscription.applySnapshot(createRootState(), 9);
    subscription.predict(1, { type: 'root/agentsChanged', agents: [agent('mine')] });
    subscription.beginSync();
    subscription.receive(envelope(9, { origin: { clientId: 'me', clientSeq: 1 }, rejectionReason: 'no' }));
    expect([onSettled.mock.calls, onApplied.mock.calls, subscription.pendingCount]).toEqual([
      [[1, expect.objectContaining({ rejectionReason: 'no' })]],
      [],
      0,
    ]);
    subscription.receive(envelope(20, { origin: { clientId: 'me', clientSeq: 7 }, rejectionReason: 'no' }));
    subscription.endSync();
    subscription.receive(envelope(10));
    expect(provider(subscription)).toBe('a10');
  });

  it('bounds waiting envelopes', () => {
    const { subscription, onOverflow } = create();
    subscription.beginSync();
    for (let seq = 1; seq <= MAX_BUFFERED_ENVELOPES; seq++) subscription.receive(envelope(seq));
    expect(onOverflow).not.toHaveBeenCalled();
    subscription.receive(envelope(MAX_BUFFERED_ENVELOPES + 1));
    expect(onOverflow).toHaveBeenCalledOnce();
  });
});
