import { expect, it, vi } from 'vitest';
import { listInStep } from '../src/listInStep.js';
import { connected } from './support/connected.js';
import { flush } from './support/flush.js';

it('keeps notifications that came right behind the answer of a list', async () => {
  const { fake, host } = await connected();
  for (const name of ['busy', 'gone', 'same']) fake.addSession(`shell:/${name}`);
  const { summary } = fake.addSession('shell:/made');
  fake.onAnswered = (method) => {
    if (method !== 'listSessions') return;
    fake.notify({
      type: 'notify/sessionSummaryChanged',
      session: 'shell:/busy',
      changes: { status: 'error', title: 'T' },
    });
    fake.notify({ type: 'notify/sessionSummaryChanged', session: 'shell:/busy', changes: { status: 'idle' } });
    fake.notify({ type: 'notify/sessionRemoved', session: 'shell:/gone' });
    fake.notify({ type: 'notify/sessionRemoved', session: 'shell:/made' });
    fake.notify({ type: 'notify/sessionAdded', summary });
  };
  const take = await listInStep(host, {});
  await flush();
  const { items } = take();
  expect(items.map(({ resource, status, title }) => [resource, status, title])).toEqual([
    ['shell:/busy', 'idle', 'T'],
    ['shell:/same', 'idle', ''],
    ['shell:/made', 'idle', ''],
  ]);
});

it('[NTF2] takes what was added right behind the answer in place of what the answer has, and later changes of it', async () => {
  const { fake, host } = await connected();
  const { summary } = fake.addSession('shell:/old');
  fake.onAnswered = (method) => {
    if (method !== 'listSessions') return;
    const session = summary.resource;
    fake.notify({ type: 'notify/sessionSummaryChanged', session, changes: { title: 'before', status: 'error' } });
    fake.notify({ type: 'notify/sessionAdded', summary: { ...summary, title: 'added', modifiedAt: 7 } });
    fake.notify({ type: 'notify/sessionSummaryChanged', session, changes: { isRead: false } });
  };
  const take = await listInStep(host, {});
  await flush();
  expect(take().items).toMatchObject([{ title: 'added', modifiedAt: 7, status: 'idle', isRead: false }]);
});

it('stops following notifications when the list fails', async () => {
  const dispose = vi.fn();
  const listSessions = () => Promise.reject(new Error('down'));
  await expect(listInStep({ listSessions, onNotification: () => ({ dispose }) }, {})).rejects.toThrow('down');
  expect(dispose).toHaveBeenCalledOnce();
});
