import { dirname } from 'node:path';
import type { AgentCustomization, McpServer } from '../agentCustomization.js';
import type { SdkCustomizations, SdkMcpServer } from './sdk.js';

/** What Copilot is to use, as its SDK takes it. It reads none of it by itself: what is turned off must not reach it. */
export function sdkCustomizations(customizations: readonly AgentCustomization[]): SdkCustomizations {
  const of = (kind: AgentCustomization['kind']) => customizations.filter((one) => one.kind === kind);
  const servers = of('mcpServer').flatMap(({ name, mcpServer }) =>
    mcpServer ? [[name, sdkServer(mcpServer)] as const] : [],
  );
  const skills = of('skill');
  const content = of('instructions').map(instructionText).join('\n\n');
  return {
    skipCustomInstructions: true,
    enableOnDemandInstructionDiscovery: false,
    ...(content && { systemMessage: { mode: 'append', content } }),
    enableSkills: skills.length > 0,
    skillDirectories: skills.map(({ path }) => dirname(path)),
    customAgents: of('agent').map(({ name, description, content: prompt = '' }) => ({
      name,
      displayName: name,
      ...(description !== undefined && { description }),
      prompt,
    })),
    mcpServers: Object.fromEntries(servers),
  };
}

function instructionText({ path, appliesTo, content = '' }: AgentCustomization): string {
  const scope = appliesTo === undefined ? '' : ` for files that match ${appliesTo}`;
  return `Instructions${scope}, from ${path}:\n\n${content}`;
}

function sdkServer(server: McpServer): SdkMcpServer {
  if (server.type !== 'stdio') return { type: server.type, url: server.url, headers: server.headers, tools: ['*'] };
  const { command, args, env, cwd } = server;
  return { type: 'stdio', command, args, env, ...(cwd !== undefined && { workingDirectory: cwd }), tools: ['*'] };
}
