import { type ClientTool, ERROR_CODE } from '@agenthost/protocol';
import { MAX_TOOL_SCHEMA_LENGTH } from '@agenthost/protocol/internal';
import { RpcError } from '@agenthost/rpc';

/** Throws the error to answer when a list of tools can't be offered to an agent. */
export function checkTools(tools: readonly ClientTool[]): void {
  const names = new Set<string>();
  for (const { name, inputSchema } of tools) {
    if (names.has(name)) throw invalid(`two tools have the name ${name}: give each its own`);
    names.add(name);
    if (inputSchema['type'] !== 'object') throw invalid(`inputSchema of ${name} must have "type": "object"`);
    const { length } = JSON.stringify(inputSchema);
    if (length > MAX_TOOL_SCHEMA_LENGTH) {
      throw invalid(`inputSchema of ${name} has ${length} characters: at most ${MAX_TOOL_SCHEMA_LENGTH} are allowed`);
    }
    if (refersElsewhere(inputSchema)) {
      throw invalid(`inputSchema of ${name} has a $ref that does not begin with "#": put the definition into $defs`);
    }
  }
}

/** An agent that resolves references must not be sent to an address. The depth is bounded by that of a frame. */
function refersElsewhere(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, inner]) => {
    const isReference = key === '$ref' || key === '$dynamicRef';
    return isReference && typeof inner === 'string' ? !inner.startsWith('#') : refersElsewhere(inner);
  });
}

function invalid(message: string): RpcError {
  return new RpcError(ERROR_CODE.invalidParams, message);
}
