import { randomUUID } from 'node:crypto';
import { isSafeKey, MAX_ID_LENGTH } from '@agenthost/protocol';

/**
 * Maps ids of one turn between the agent and the clients. An agent's id is sent unchanged unless it is invalid on the wire; then
 * it gets a new one, the same for the whole turn.
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
    // The agent may use an id that was generated for another one of its ids.
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

/** Accepts what the schema of an id accepts, and only well-formed Unicode: a lone surrogate would change in UTF-8. */
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
