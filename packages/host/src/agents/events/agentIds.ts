import { randomUUID } from 'node:crypto';
import { isSafeKey, MAX_ID_LENGTH } from '@agenthost/protocol/internal';

/**
 * The ids of one turn as the agent and as the clients know them. An agent's id goes out unchanged unless it can't be an id
 * on the wire; then it gets a new one, the same for the whole turn.
 */
export class AgentIds {
  readonly #wireIds = new Map<string, string>();
  readonly #agentIds = new Map<string, string>();
  readonly #newId: () => string;

  constructor(newId: () => string = randomUUID) {
    this.#newId = newId;
  }

  wireIdOf(agentId: string): string {
    const known = this.#wireIds.get(agentId);
    if (known !== undefined) return known;
    // The agent may come up with an id that was made for another one of its ids.
    let wireId = isWireId(agentId) ? agentId : this.#newId();
    while (this.#agentIds.has(wireId)) wireId = this.#newId();
    this.#wireIds.set(agentId, wireId);
    this.#agentIds.set(wireId, agentId);
    return wireId;
  }

  agentIdOf(wireId: string): string | undefined {
    return this.#agentIds.get(wireId);
  }
}

/** What the schema of an id accepts, and well-formed Unicode: a lone surrogate would change on its way through UTF-8. */
function isWireId(id: string): boolean {
  return id.length > 0 && id.length <= MAX_ID_LENGTH && isSafeKey(id) && id.isWellFormed() && !hasControlCharacter(id);
}

function hasControlCharacter(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}
