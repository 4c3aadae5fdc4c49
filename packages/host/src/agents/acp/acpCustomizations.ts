import type * as acp from '@agentclientprotocol/sdk';
import type { AgentCustomization } from '../agentCustomization.js';
import type { ToolServer } from '../clientTools.js';
import type { AcpAgentSpec } from './acpAgentSpec.js';
import type { Initialized, PromptCapabilities } from './updateSchemas.js';

type McpCapabilities = NonNullable<Initialized['agentCapabilities']>['mcpCapabilities'];

/** The servers in ACP's form. Every agent should accept programs; only some declare that they accept addresses. */
export function mcpServersOf(
  customizations: readonly AgentCustomization[],
  capabilities: McpCapabilities,
  { refusesPrograms = false }: Pick<AcpAgentSpec, 'refusesPrograms'> = {},
): { readonly servers: acp.McpServer[]; readonly leftOut: readonly string[] } {
  const servers: acp.McpServer[] = [];
  const leftOut: string[] = [];
  for (const { name, mcpServer } of customizations) {
    if (!mcpServer) continue;
    if (mcpServer.type === 'stdio' && refusesPrograms) {
      leftOut.push(`This agent does not take MCP servers that are programs: ${name} was left out.`);
    } else if (mcpServer.type === 'stdio') {
      const { command, args, env } = mcpServer;
      servers.push({ name, command, args: [...args], env: named(env) });
    } else if (capabilities?.[mcpServer.type]) {
      servers.push({ type: mcpServer.type, name, url: mcpServer.url, headers: named(mcpServer.headers) });
    } else leftOut.push(`This agent does not take MCP servers over ${mcpServer.type}: ${name} was left out.`);
  }
  return { servers, leftOut };
}

/** The tools of clients in the same form. */
export function toolServer({ name, url, headers }: ToolServer): acp.McpServer {
  return { type: 'http', name, url, headers: named(headers) };
}

/** Instructions that the agent does not read by itself are sent with the first message; ACP has no other place for them. */
export function instructionBlocks(
  customizations: readonly AgentCustomization[],
  capabilities: PromptCapabilities,
): acp.ContentBlock[] {
  return customizations.flatMap(({ kind, uri, path, content, appliesTo }): acp.ContentBlock[] => {
    if (kind !== 'instructions' || !content) return [];
    const scope = appliesTo === undefined ? '' : ` for files that match ${appliesTo}`;
    const text = `Instructions${scope}, from ${path}:\n\n${content}`;
    if (!capabilities?.embeddedContext) return [{ type: 'text', text }];
    return [{ type: 'resource', resource: { uri, text, mimeType: 'text/markdown' } }];
  });
}

function named(record: Readonly<Record<string, string>>): { name: string; value: string }[] {
  return Object.entries(record).map(([name, value]) => ({ name, value }));
}
