import { type ContractTools, contractTools, type ProviderFixture } from './contractTools.js';
import { lifecycleCases } from './lifecycleCases.js';
import { listingCases } from './listingCases.js';
import { truthCases } from './truthCases.js';

export type { ProviderFixture } from './contractTools.js';

export interface ContractCase {
  readonly name: string;
  run(): Promise<void>;
}

export interface ContractOptions {
  /** How long a case waits for something that must happen. Defaults to 10,000. */
  readonly timeoutMs?: number;
}

export type Check = (tools: ContractTools) => Promise<void>;

const DEFAULT_TIMEOUT_MS = 10_000;

/**
 * The contract of `SessionsProvider` as cases for any test framework. `createFixture` makes a provider, fresh for each case.
 *
 * @example
 * ```ts
 * const createFixture = async () => ({
 *   provider: new InMemoryProvider({ id: 'notes' }),
 *   workspaceUri: 'file:///src/project',
 * });
 * for (const { name, run } of providerContract(createFixture)) it(name, run);
 * ```
 */
export function providerContract(
  createFixture: () => Promise<ProviderFixture>,
  { timeoutMs = DEFAULT_TIMEOUT_MS }: ContractOptions = {},
): ContractCase[] {
  return Object.entries({ ...listingCases, ...lifecycleCases, ...truthCases }).map(([name, check]) => ({
    name,
    run: async () => {
      const fixture = await createFixture();
      const { tools, dispose } = contractTools(fixture, timeoutMs);
      try {
        await check(tools);
      } finally {
        dispose();
        await fixture.dispose?.();
      }
    },
  }));
}
