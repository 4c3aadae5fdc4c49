import { describe, expect, it } from 'vitest';
import { Drafts } from '../src/index.js';
import { memoryStorage } from '../src/sessionsStorage.js';

describe('drafts', () => {
  it('survive a reload, by chat', () => {
    const storage = memoryStorage();
    const drafts = new Drafts(storage);
    const told: string[] = [];
    drafts.of('a').subscribe((text) => told.push(text));
    drafts.set('a', 'one');
    drafts.set('b', 'two');
    drafts.set('a', 'one more');
    const reloaded = new Drafts(storage);
    expect([reloaded.of('a').value, reloaded.of('b').value, reloaded.of('c').value]).toEqual(['one more', 'two', '']);
    drafts.move('a', 'c');
    expect([drafts.of('a').value, drafts.of('c').value, told]).toEqual(['', 'one more', ['one', 'one more', '']]);
    drafts.set('b', '');
    drafts.set('c', '');
    expect(storage.getItem('agenthost.sessions.drafts')).toBeNull();
  });

  it('are at most a hundred: the oldest is dropped', () => {
    const storage = memoryStorage();
    const drafts = new Drafts(storage);
    for (let n = 0; n <= 100; n++) drafts.set(`chat ${n}`, `text ${n}`);
    const reloaded = new Drafts(storage);
    expect([0, 1, 100].map((n) => reloaded.of(`chat ${n}`).value)).toEqual(['', 'text 1', 'text 100']);
    drafts.set('long', 'x'.repeat(200_000));
    expect(new Drafts(storage).of('long').value.length).toBe(100_000);
  });

  it.each(['nonsense', '{}', '[1,["a"],["a",1],["b","kept"]]'])('ignore %s in the storage', (text) => {
    const storage = memoryStorage();
    storage.setItem('agenthost.sessions.drafts', text);
    const drafts = new Drafts(storage);
    expect(drafts.of('a').value).toBe('');
    expect(drafts.of('b').value).toBe(text.includes('kept') ? 'kept' : '');
  });
});
