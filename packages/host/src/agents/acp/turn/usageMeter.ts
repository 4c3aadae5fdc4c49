import type { UsageInfo } from '@agenthost/protocol';
import type { PromptOutcome } from '../acpConnection.js';
import type { SessionUpdate } from '../updateSchemas.js';

type Tokens = Pick<UsageInfo, 'inputTokens' | 'outputTokens' | 'cacheReadTokens'>;
type UsageUpdate = Extract<SessionUpdate, { sessionUpdate: 'usage_update' }>;

const KINDS = ['inputTokens', 'outputTokens', 'cacheReadTokens'] as const;

/**
 * Measures the usage of each turn. ACP's cost is a total of the session, and so are the tokens of some agents: a turn's usage is
 * the difference. There is one meter per session, because a total continues from turn to turn.
 */
export class UsageMeter {
  readonly #tokensAreTotals: boolean;
  /** The last totals of the running process. */
  #totals: Tokens & { cost?: number } = {};
  #turn: { -readonly [K in keyof UsageInfo]: UsageInfo[K] } = {};

  constructor({ tokensAreTotals }: { readonly tokensAreTotals: boolean }) {
    this.#tokensAreTotals = tokensAreTotals;
  }

  /** Resets when the agent is restarted and counts from the beginning. */
  restart(): void {
    this.#totals = {};
  }

  beginTurn(): void {
    this.#turn = {};
  }

  updated({ cost, used, size }: UsageUpdate): void {
    if (used !== undefined) this.#turn.contextUsed = used;
    if (size !== undefined) this.#turn.contextSize = size;
    // Other currencies can't be reported.
    if (cost?.currency === 'USD') this.#add('cost', this.#difference('cost', cost.amount));
  }

  /** Called when a prompt was answered; a turn may have several. */
  prompted({ usage }: Pick<PromptOutcome, 'usage'>): void {
    for (const kind of KINDS) {
      const count = usage?.[kind === 'cacheReadTokens' ? 'cachedReadTokens' : kind];
      if (count !== undefined) this.#add(kind, this.#tokensAreTotals ? this.#difference(kind, count) : count);
    }
  }

  /** The usage of the turn so far; `undefined` if the agent reported nothing. */
  get usage(): UsageInfo | undefined {
    return Object.keys(this.#turn).length > 0 ? { ...this.#turn } : undefined;
  }

  #difference(kind: (typeof KINDS)[number] | 'cost', total: number): number {
    const before = this.#totals[kind] ?? 0;
    this.#totals = { ...this.#totals, [kind]: total };
    // A smaller total means that the agent started counting again.
    return total >= before ? total - before : total;
  }

  #add(kind: (typeof KINDS)[number] | 'cost', count: number): void {
    this.#turn[kind] = (this.#turn[kind] ?? 0) + count;
  }
}
