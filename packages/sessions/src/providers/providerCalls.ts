import type { Disposable } from '@agenthost/client';
import {
  ProviderFailedError,
  ProviderNotFoundError,
  ProviderTimeoutError,
  ProviderUnregisteredError,
} from '../errors.js';
import type { SessionsProvider } from './sessionsProvider.js';
import type { SessionsProvidersService } from './sessionsProvidersService.js';

/** So that a provider that never answers can't gather callers without end. */
const MAX_WAITING = 1_000;

export interface CallOptions {
  /** For what waits for a person. */
  readonly noTimeout?: boolean;
}

/** Every way from this layer into a provider: whatever a provider does, the caller gets an error that names it. */
export class ProviderCalls {
  readonly #providers: SessionsProvidersService;
  readonly #timeoutMs: number;
  readonly #following: Disposable;
  readonly #waiting = new Map<SessionsProvider, Set<() => void>>();

  constructor(providers: SessionsProvidersService, timeoutMs: number) {
    this.#providers = providers;
    this.#timeoutMs = timeoutMs;
    this.#following = providers.onDidChangeProviders(({ removed }) => {
      for (const provider of removed) this.#giveUp(provider);
    });
  }

  provider(providerId: string): SessionsProvider {
    const provider = this.#providers.getProvider(providerId);
    if (!provider) throw new ProviderNotFoundError(providerId);
    return provider;
  }

  /** For what answers at once. */
  callSync<T>(providerId: string, action: string, run: (provider: SessionsProvider) => T): T {
    const provider = this.provider(providerId);
    try {
      return run(provider);
    } catch (error) {
      throw new ProviderFailedError(providerId, action, error);
    }
  }

  async call<T>(
    providerId: string,
    action: string,
    run: (provider: SessionsProvider) => Promise<T>,
    { noTimeout = false }: CallOptions = {},
  ): Promise<T> {
    const provider = this.provider(providerId);
    const waiting = this.#waiting.get(provider) ?? new Set();
    this.#waiting.set(provider, waiting);
    if (waiting.size >= MAX_WAITING) {
      throw new ProviderFailedError(providerId, action, new Error(`${MAX_WAITING} actions wait for it already`));
    }
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const giveUp = () => reject(new ProviderUnregisteredError(providerId, action));
    waiting.add(giveUp);
    const late = () => reject(new ProviderTimeoutError(providerId, action, this.#timeoutMs));
    const timer = noTimeout ? undefined : setTimeout(late, this.#timeoutMs);
    const running = (async () => run(provider))();
    running.then(resolve, (error) => reject(new ProviderFailedError(providerId, action, error)));
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(giveUp);
      if (waiting.size === 0) this.#waiting.delete(provider);
    }
  }

  dispose(): void {
    this.#following.dispose();
  }

  #giveUp(provider: SessionsProvider): void {
    const waiting = [...(this.#waiting.get(provider) ?? [])];
    this.#waiting.delete(provider);
    for (const giveUp of waiting) giveUp();
  }
}
