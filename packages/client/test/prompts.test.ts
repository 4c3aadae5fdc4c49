import { describe, expect, it } from 'vitest';
import { connected } from './support/connected.js';
import { flush } from './support/flush.js';

const URI = 'shell:/one';

describe('prompts', () => {
  const pending = (toolCallId: string) => ({
    type: 'session/toolStart' as const,
    turnId: 't',
    toolCall: {
      toolCallId,
      toolName: 'shell',
      displayName: 'Shell',
      invocationMessage: 'Run it',
      status: 'pendingConfirmation' as const,
      confirmation: { editable: true },
    },
  });

  it('are answered, keep their references, and say when another client was faster', async () => {
    const { fake, host } = await connected();
    fake.addSession(URI);
    const session = await host.openSession(URI);
    const seen: number[] = [];
    session.pendingConfirmations.subscribe((prompts) => seen.push(prompts.length));
    await session.send('go', 't');
    expect(session.pendingConfirmations.value).toEqual([]);
    fake.dispatch(URI, pending('c1'));
    fake.dispatch(URI, pending('c2'));
    await flush();
    const before = session.pendingConfirmations.value;
    const [first, second] = before;
    fake.dispatch(URI, { type: 'session/activityChanged', activity: 'waiting' });
    await flush();
    expect(session.pendingConfirmations.value).toBe(before);
    const approved = first?.approve({ editedToolInput: 'ls -l' });
    expect(session.pendingConfirmations.value).toEqual([second]);
    expect(session.pendingConfirmations.value[0]).toBe(second);
    await approved;
    await second?.deny({ reason: 'too dangerous' });
    expect(fake.stateOf(URI).activeTurn?.toolCalls).toMatchObject({
      c1: { status: 'running', toolInput: 'ls -l', confirmed: { how: 'user', by: { clientId: 'me' } } },
      c2: { status: 'cancelled', reason: 'too dangerous' },
    });
    await expect(first?.approve()).rejects.toThrow('tool call is not waiting for confirmation');
    expect(seen).toEqual([1, 2, 1, 0]);
  });

  it('permissions are answered', async () => {
    const { fake, host } = await connected();
    fake.addSession(URI);
    const session = await host.openSession(URI);
    await session.send('go', 't');
    const request = { requestId: 'r', kind: 'question' as const, title: 'Which?', message: 'One or two?' };
    fake.dispatch(URI, { type: 'session/permissionRequest', turnId: 't', request });
    await flush();
    expect(session.pendingPermissions.value).toMatchObject([{ turnId: 't', request }]);
    await session.pendingPermissions.value[0]?.answer({ approved: true, text: 'two' });
    expect(session.pendingPermissions.value).toEqual([]);
    expect(fake.stateOf(URI).activeTurn?.pendingPermissions).toEqual({});
  });
});
