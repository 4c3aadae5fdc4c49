import { describe, expect, it } from 'vitest';
import { InMemoryProvider, ProviderRegistrationError, SessionsProvidersService } from '../src/index.js';

describe('the registry of providers', () => {
  it('registers, finds and unregisters, with events', () => {
    const registry = new SessionsProvidersService();
    const events: [string[], string[]][] = [];
    registry.onDidChangeProviders(({ added, removed }) =>
      events.push([added.map((p) => p.id), removed.map((p) => p.id)]),
    );
    const [a, b] = [new InMemoryProvider({ id: 'a' }), new InMemoryProvider({ id: 'b' })];
    const registration = registry.registerProvider(a);
    registry.registerProvider(b);
    expect([registry.getProviders(), registry.getProvider('a'), registry.getProvider('c')]).toEqual([
      [a, b],
      a,
      undefined,
    ]);
    registration.dispose();
    registration.dispose();
    expect([registry.getProviders(), events]).toEqual([
      [b],
      [
        [['a'], []],
        [['b'], []],
        [[], ['a']],
      ],
    ]);
  });

  it('refuses an id that is taken', () => {
    const registry = new SessionsProvidersService();
    const first = new InMemoryProvider({ id: 'a' });
    registry.registerProvider(first);
    expect(() => registry.registerProvider(new InMemoryProvider({ id: 'a' }))).toThrow(ProviderRegistrationError);
    expect(() => registry.registerProvider(first)).toThrow('a is registered already');
    expect(registry.getProviders()).toEqual([first]);
  });

  it.each(['', 'a:b', '1a', 'a b', 'a/b', 'ä', 'a'.repeat(101)])('refuses %j as an id', (id) => {
    const registry = new SessionsProvidersService();
    expect(() => registry.registerProvider(new InMemoryProvider({ id }))).toThrow("can't be a provider's id");
  });

  it('does not let an old registration remove a new one', () => {
    const registry = new SessionsProvidersService();
    const provider = new InMemoryProvider({ id: 'a' });
    const first = registry.registerProvider(provider);
    first.dispose();
    registry.registerProvider(provider);
    first.dispose();
    expect(registry.getProviders()).toEqual([provider]);
  });
});
