import type { Notification, SessionSummary } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SummaryNotifier } from '../../src/sessions/summaryNotifier.js';

const summary: SessionSummary = {
  resource: 'mock:/s',
  provider: 'mock',
  title: '',
  createdAt: 1,
  modifiedAt: 1,
  status: 'idle',
  isRead: true,
  isArchived: false,
};

describe('SummaryNotifier', () => {
  let told: unknown[];
  let notifier: SummaryNotifier;
  let listeners: number;

  beforeEach(() => {
    listeners = 1;
    vi.useFakeTimers();
    told = [];
    notifier = new SummaryNotifier(
      (notification: Notification) => {
        told.push(notification.type === 'notify/sessionSummaryChanged' ? notification.changes : notification);
      },
      () => listeners,
    );
    notifier.know(summary, 'default');
  });
  afterEach(() => {
    notifier.dispose();
    vi.useRealTimers();
  });

  /** Each change follows the one before it, as in a session. */
  function change(...changes: readonly Partial<SessionSummary>[]): void {
    let now = summary;
    for (const one of changes) {
      now = { ...now, ...one };
      notifier.changed(now);
    }
  }

  it('[NTF1] reports a field that changed and changed back while changes were gathered', () => {
    change({ title: 'opens the window' }, { status: 'inProgress' }, { status: 'idle' });
    expect(told).toEqual([{ title: 'opens the window' }]);
    vi.advanceTimersByTime(100);
    expect(told.slice(1)).toEqual([{ status: 'idle' }]);
  });

  it('[NTF1] reports a touched optional field that is absent again as null', () => {
    change({ title: 'x' }, { activity: 'Running' }, { activity: undefined } as unknown as Partial<SessionSummary>);
    vi.advanceTimersByTime(100);
    expect(told.slice(1)).toEqual([{ activity: null }]);
  });

  it('[NTF1] reports only touched fields, and nothing when nothing changed', () => {
    change({ metadata: { branch: 'main' } }, { metadata: { branch: 'main' } }, { metadata: { branch: 'main' } });
    vi.advanceTimersByTime(1_000);
    expect(told).toEqual([{ metadata: { branch: 'main' } }]);
  });

  it('reports a session at most ten times a second, whatever happens in between', () => {
    let now = summary;
    for (let ms = 0; ms < 1_000; ms++) {
      now = { ...now, modifiedAt: ms + 2, status: ms % 2 === 0 ? 'inProgress' : 'idle' };
      notifier.changed(now);
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(1_000);
    expect(told.length).toBeLessThanOrEqual(11);
    expect(told.at(-1)).toMatchObject({ modifiedAt: 1_001, status: 'idle' });
  });

  it.each([
    [99, 10],
    [100, 2],
    [999, 2],
    [1_000, 0.5],
    [100_000, 0.5],
  ])('reports the first change at once, then to %i clients at most %d times a second', (clients, perSecond) => {
    listeners = clients;
    let now = summary;
    for (let ms = 0; ms < 10_000; ms++) {
      now = { ...now, modifiedAt: ms + 2 };
      notifier.changed(now);
      if (ms === 0) expect(told).toHaveLength(1);
      vi.advanceTimersByTime(1);
    }
    expect(told.length).toBeGreaterThanOrEqual(10 * perSecond);
    expect(told.length).toBeLessThanOrEqual(10 * perSecond + 1);
    vi.advanceTimersByTime(2_000);
    expect(told.at(-1)).toMatchObject({ modifiedAt: 10_001 });
  });

  it('reports pending changes when the session is unloaded, and nothing of a removed one', () => {
    change({ title: 'x' }, { status: 'inProgress' }, { status: 'idle' });
    notifier.release(summary.resource);
    expect(told.slice(1)).toEqual([{ status: 'idle' }]);
    notifier.know(summary, 'default');
    change({ title: 'y' }, { status: 'inProgress' });
    notifier.forget(summary.resource);
    vi.advanceTimersByTime(1_000);
    expect(told.slice(2)).toEqual([{ title: 'y' }]);
  });
});
