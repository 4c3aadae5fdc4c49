import { describe, expect, it } from 'vitest';
import { type UnsentMessage, UnsentMessages } from '../src/index.js';
import { memoryStorage } from '../src/sessionsStorage.js';

const KEY = 'agenthost.sessions.unsent';

function unsent(id: string, resource = 'host:mock:/1'): UnsentMessage {
  return { resource, id, kind: 'send', message: { text: `text of ${id}` } };
}

describe('unsent messages', () => {
  it('survive a reload, by chat, until they are removed', () => {
    const storage = memoryStorage();
    const before = new UnsentMessages(storage);
    before.add(unsent('a'));
    before.add(unsent('b', 'host:mock:/2'));
    const after = new UnsentMessages(storage);
    expect(after.all()).toEqual([unsent('a'), unsent('b', 'host:mock:/2')]);
    expect(after.of('host:mock:/2').value).toEqual([unsent('b', 'host:mock:/2')]);
    after.remove('a');
    after.remove('b');
    expect(storage.getItem(KEY)).toBeNull();
    expect(after.has('a')).toBe(false);
  });

  it('of two pages of one browser do not overwrite each other', () => {
    const storage = memoryStorage();
    const [one, other] = [new UnsentMessages(storage), new UnsentMessages(storage)];
    one.add(unsent('one'));
    other.add(unsent('other'));
    expect(new UnsentMessages(storage).all().map(({ id }) => id)).toEqual(['one', 'other']);
    one.remove('one');
    expect(new UnsentMessages(storage).all().map(({ id }) => id)).toEqual(['other']);
  });

  it('have a limit; larger ones are kept while the page is open', () => {
    const storage = memoryStorage();
    const messages = new UnsentMessages(storage);
    const large = { ...unsent('large'), message: { text: 'x'.repeat(3_000_000) } };
    expect(messages.add(large)).toBe(true);
    expect(messages.has('large')).toBe(true);
    for (let n = 1; n < 100; n++) expect(messages.add(unsent(`${n}`))).toBe(true);
    expect(messages.add(unsent('one too many'))).toBe(false);
    expect(new UnsentMessages(storage).has('large')).toBe(false);
  });

  it('ignore foreign data in the storage', () => {
    for (const text of ['{', '7', '[7, null, {"id":"a"}]', JSON.stringify([unsent('a', 'no resource')])]) {
      const storage = memoryStorage();
      storage.setItem(KEY, text);
      expect(new UnsentMessages(storage).all()).toEqual([]);
    }
  });
});
