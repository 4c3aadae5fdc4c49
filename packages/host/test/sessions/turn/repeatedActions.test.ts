import { type ActionEnvelope, type ClientAction, createSessionState, type SessionAction } from '@agenthost/protocol';
import { describe, expect, it } from 'vitest';
import { MAX_ACCEPTED_CLIENTS, MAX_RECENTLY_ACCEPTED } from '../../../src/sessions/sessionLimits.js';
import { SessionStore } from '../../../src/sessions/sessionStore.js';
import { AcceptedSequences, actionFingerprint } from '../../../src/sessions/turn/acceptedSequences.js';
import { Delivery } from '../../../src/state/delivery.js';
import { Publisher, type Subscriber } from '../../../src/state/publisher.js';
import { ReplayBuffer } from '../../../src/state/replayBuffer.js';
import { MemorySessionFs } from '../../../src/storage/fs/memorySessionFs.js';
import { SessionFsFailure } from '../../../src/storage/fs/sessionFs.js';
import { JsonlEventLog } from '../../../src/storage/log/jsonlEventLog.js';

const session = 'mock:/s';
const rename = (title: string): ClientAction => ({ type: 'session/titleChanged', session, at: 1, title });

class FailingFs extends MemorySessionFs {
  isFull = false;

  override async appendFile(path: string, content: string | Uint8Array): Promise<void> {
    if (this.isFull) throw new SessionFsFailure('ENOSPC', 'no room');
    await super.appendFile(path, content);
  }
}

async function setUp() {
  const fs = new FailingFs();
  const log = await JsonlEventLog.open({ fs, debounceMs: 0, retryMs: 0 });
  const delivery = new Delivery();
  const told: ActionEnvelope[] = [];
  const alice: Subscriber = {
    author: { clientId: 'alice' },
    protocolVersion: 1,
    deliver: (frames) => told.push(...frames.map(({ text }) => JSON.parse(text).params.envelope as ActionEnvelope)),
    cutOff: () => undefined,
  };
  const sequence = {
    current: 0,
    next() {
      return ++this.current;
    },
  };
  const store = new SessionStore({
    uri: session,
    incarnation: 'start',
    state: createSessionState({ resource: session, provider: 'mock', createdAt: 1 }),
    log,
    content: { stored: async () => {} },
    delivery,
    publisher: new Publisher(delivery, new ReplayBuffer(0)),
    sequence,
    now: () => 1,
  });
  const answers = () =>
    told.map(({ origin, repeated, rejectionReason }) => [origin?.clientSeq, repeated ?? rejectionReason]);
  return { fs, store, alice, delivery, answers };
}

describe('an action that is sent again before the first one is stored', () => {
  it('[ONCE3] is answered behind the echo of the first', async () => {
    const { store, alice, delivery, answers } = await setUp();
    store.accept(alice, 1, rename('a'));
    store.repeat(alice, 1, rename('a'));
    await delivery.drained();
    expect(answers()).toEqual([
      [1, undefined],
      [1, true],
    ]);
  });

  it('[ONCE3] is refused with the first one when that could not be stored', async () => {
    const { fs, store, alice, delivery, answers } = await setUp();
    fs.isFull = true;
    store.accept(alice, 1, rename('a'));
    store.repeat(alice, 1, rename('a'));
    await delivery.drained();
    expect(answers()).toEqual([
      [1, expect.stringContaining('no room')],
      [1, expect.stringContaining('no room')],
    ]);
    expect(store.state.summary.title).toBe('');
  });

  it('[ONCE3] is accepted when only a later one could not be stored', async () => {
    const { fs, store, alice, delivery, answers } = await setUp();
    store.accept(alice, 1, rename('a'));
    await delivery.drained();
    fs.isFull = true;
    store.accept(alice, 2, rename('b'));
    store.repeat(alice, 1, rename('a'));
    await delivery.drained();
    expect(answers().slice(1)).toEqual([
      [2, expect.stringContaining('no room')],
      [1, true],
    ]);
    expect(store.state.summary.title).toBe('a');
  });
});

describe('the memory of accepted actions', () => {
  it('is bounded per client and in the number of clients', () => {
    const accepted = new AcceptedSequences();
    const add = (key: string, n: number) => accepted.add(key, { clientSeq: n, serverSeq: n, fingerprint: 2 ** 48 - 1 });
    for (let client = 0; client <= MAX_ACCEPTED_CLIENTS; client++) for (let n = 1; n <= 200; n++) add(`c${client}`, n);
    const entries = accepted.entries();
    expect(entries).toHaveLength(MAX_ACCEPTED_CLIENTS);
    expect(entries.every(([, recent]) => recent.length === MAX_RECENTLY_ACCEPTED)).toBe(true);
    // Beside a whole window of turns it has to fit into a snapshot.
    expect(JSON.stringify(entries).length).toBeLessThan(2 * 1024 * 1024);
    const again = new AcceptedSequences(entries);
    expect([again.highest('c9'), again.find('c9', 200)?.serverSeq, again.find('c9', 100)]).toEqual([
      200,
      200,
      undefined,
    ]);
    expect([again.remembers('c9', 137), again.remembers('c9', 136), again.remembers('none', 1)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('actionFingerprint', () => {
  const queued = (userMessage: object, more: object = {}) =>
    ({
      type: 'session/pendingMessageSet',
      session,
      kind: 'queued',
      id: 'q',
      at: 1,
      userMessage,
      ...more,
    }) as SessionAction;

  it('depends on the request, not on stamps, nor on the order of fields', () => {
    const asked = actionFingerprint(queued({ text: 'x', attachments: [{ kind: 'text', label: 'l', data: 'd' }] }));
    const stored = queued(
      { attachments: [{ data: 'd', label: 'l', kind: 'text' }], text: 'x' },
      { at: 99, by: { clientId: 'a' } },
    );
    expect(actionFingerprint(stored)).toBe(asked);
  });

  it.each([
    ['text', queued({ text: 'y' })],
    ['id', queued({ text: 'x' }, { id: 'other' })],
    ['kind', queued({ text: 'x' }, { kind: 'steering' })],
    ['attachment', queued({ text: 'x', attachments: [{ kind: 'text', label: 'l' }] })],
    ['type', rename('x')],
  ])('differs with another %s', (_, other) => {
    expect(actionFingerprint(other)).not.toBe(actionFingerprint(queued({ text: 'x' })));
  });

  it('is the same for content and for the reference to its stored form', () => {
    const text = 'x'.repeat(70_000);
    const hash = 'b0b95b1ac49edb26c4b7ff1ec5c44d4b5e4d0b3e'.padEnd(64, '0');
    const ref = { uri: `mock://s/pasted-${hash}.txt`, sizeHint: 70_000 };
    expect(actionFingerprint(queued({ text: 'head … tail', textRef: ref }))).toBe(
      actionFingerprint(queued({ text: 'another head', textRef: { uri: ref.uri } })),
    );
    expect(actionFingerprint(queued({ text }))).not.toBe(actionFingerprint(queued({ text: 'h', textRef: ref })));
  });
});
