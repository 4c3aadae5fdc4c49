import type { Disposable } from '@agenthost/client';
import { Emitter, type Event } from '@agenthost/client/internal';
import { ProviderRegistrationError } from '../errors.js';
import { isProviderId } from '../sessionId.js';
import type { SessionsProvider } from './sessionsProvider.js';

export interface SessionsProvidersChangeEvent {
  readonly added: readonly SessionsProvider[];
  readonly removed: readonly SessionsProvider[];
}

/**
 * The registry of providers. It aggregates nothing and routes nothing: `SessionsManagementService` does.
 *
 * @example
 * ```ts
 * const providers = new SessionsProvidersService();
 * const registration = providers.registerProvider(new InMemoryProvider({ id: 'notes' }));
 * registration.dispose();
 * ```
 */
export class SessionsProvidersService {
  readonly #providers = new Map<string, SessionsProvider>();
  readonly #changes = new Emitter<SessionsProvidersChangeEvent>();

  readonly onDidChangeProviders: Event<SessionsProvidersChangeEvent> = this.#changes.event;

  /** What it returns unregisters the provider. Throws when the id is taken: a second one would get the first one's actions. */
  registerProvider(provider: SessionsProvider): Disposable {
    const { id } = provider;
    if (!isProviderId(id)) {
      const shown = JSON.stringify(id);
      throw new ProviderRegistrationError(
        id,
        `${shown} can't be a provider's id; begin with a letter, then letters, digits, +, . and - (at most 100)`,
      );
    }
    if (this.#providers.has(id)) {
      throw new ProviderRegistrationError(
        id,
        `a provider ${id} is registered already; give each instance an id of its own`,
      );
    }
    this.#providers.set(id, provider);
    this.#changes.fire({ added: [provider], removed: [] });
    let isRegistered = true;
    return {
      dispose: () => {
        // The id may have been registered again since; this registration must not end that one.
        if (!isRegistered) return;
        isRegistered = false;
        this.#providers.delete(id);
        this.#changes.fire({ added: [], removed: [provider] });
      },
    };
  }

  getProviders(): readonly SessionsProvider[] {
    return [...this.#providers.values()];
  }

  getProvider<T extends SessionsProvider = SessionsProvider>(providerId: string): T | undefined {
    return this.#providers.get(providerId) as T | undefined;
  }
}
