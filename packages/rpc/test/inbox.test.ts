import { describe, expect, it, vi } from 'vitest';
import { Inbox } from '../src/index.js';
import { settled } from './support/wirePeer.js';

function recordedInbox(maxWaitingChars?: number) {
  const overflow = vi.fn();
  const listenerErrors: unknown[] = [];
  const options = { onListenerError: (error: unknown) => listenerErrors.push(error) };
  const inbox = new Inbox(overflow, maxWaitingChars === undefined ? options : { ...options, maxWaitingChars });
  const log: string[] = [];
  const listen = () => {
    inbox.onOversizeFrame((maxBytes) => log.push(`over ${maxBytes}`));
    inbox.onClose((reason) => log.push(`close ${reason.message}`));
    inbox.onMessage((text) => log.push(text));
  };
  return { inbox, overflow, listenerErrors, log, listen };
}

describe('Inbox', () => {
  it('keeps everything for the first listener, in order, and delivers it in a microtask', async () => {
    const { inbox, log, listen } = recordedInbox();
    inbox.receive('1');
    inbox.receiveOversize(9);
    inbox.receive('2');
    listen();
    inbox.receive('3');
    expect(log).toEqual([]);
    await settled();
    inbox.receive('4');
    inbox.end({ message: 'end' });
    inbox.receive('5');
    expect(log).toEqual(['1', 'over 9', '2', '3', '4', 'close end']);
  });

  it('holds the close of the other side behind undelivered frames', async () => {
    const { inbox, log, listen } = recordedInbox();
    inbox.receive('1');
    inbox.end({ message: 'end' });
    expect(inbox.ended).toBe(true);
    listen();
    await settled();
    expect(log).toEqual(['1', 'close end']);
  });

  it('reports the close of this side at once and drops waiting frames', async () => {
    const { inbox, log, listen } = recordedInbox();
    listen();
    inbox.receive('1');
    inbox.close({ message: 'now' });
    inbox.end({ message: 'later' });
    expect(log).toEqual(['close now']);
    await settled();
    expect(log).toEqual(['close now']);
  });

  it('stops delivering when a listener closes', async () => {
    const { inbox, log, listen } = recordedInbox();
    for (const text of ['1', '2', '3']) inbox.receive(text);
    listen();
    inbox.onMessage((text) => {
      if (text !== '2') return;
      inbox.close({ message: 'enough' });
      inbox.onMessage((later) => log.push(`after the close: ${later}`));
    });
    await settled();
    expect(log).toEqual(['1', '2', 'close enough']);
  });

  it('queues a frame that arrives while a listener runs', async () => {
    const { inbox, log, listen } = recordedInbox();
    inbox.onMessage((text) => {
      if (text !== '1') return;
      inbox.receive('2');
      inbox.end({ message: 'end' });
      log.push('first listener');
    });
    listen();
    await settled();
    inbox.receive('1');
    expect(log).toEqual(['first listener', '1', '2', 'close end']);
  });

  it('overflows instead of keeping too much, by length or by number', () => {
    const long = recordedInbox(1_000);
    long.inbox.receive('x'.repeat(900));
    expect(long.overflow).not.toHaveBeenCalled();
    long.inbox.receive('y');
    expect(long.overflow).toHaveBeenCalledWith({
      message: 'more than 1000 characters arrived before anybody listened',
    });
    const many = recordedInbox(64 * 100);
    for (let i = 0; i < 100; i++) many.inbox.receive('');
    expect(many.overflow).not.toHaveBeenCalled();
    many.inbox.receive('');
    expect(many.overflow).toHaveBeenCalledTimes(1);
  });

  it('has no such limit once there is a listener', async () => {
    const { inbox, overflow, log, listen } = recordedInbox(100);
    listen();
    await settled();
    for (let i = 0; i < 100; i++) inbox.receive('x'.repeat(1_000));
    expect([log.length, overflow.mock.calls.length]).toEqual([100, 0]);
  });

  it('reports errors of listeners, including late close listeners', async () => {
    const { inbox, listenerErrors } = recordedInbox();
    const fail = (name: string) => () => {
      throw name;
    };
    inbox.onMessage(fail('message'));
    inbox.onClose(fail('close'));
    await settled();
    inbox.receive('1');
    inbox.close({ message: '' });
    inbox.onClose(fail('late'));
    const disposed = vi.fn();
    inbox.onClose(disposed).dispose();
    await settled();
    expect(listenerErrors).toEqual(['message', 'close', 'late']);
    expect(disposed).not.toHaveBeenCalled();
  });

  it('calls a function twice that was added twice, and one that another listener disposed not at all', async () => {
    const { inbox } = recordedInbox();
    const twice = vi.fn();
    const disposed = vi.fn();
    inbox.onMessage(twice);
    inbox.onMessage(twice);
    inbox.onMessage(() => second.dispose());
    const second = inbox.onMessage(disposed);
    await settled();
    inbox.receive('1');
    expect([twice.mock.calls.length, disposed.mock.calls.length]).toEqual([2, 0]);
  });
});
