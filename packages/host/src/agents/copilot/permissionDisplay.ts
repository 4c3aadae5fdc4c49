import type { ConfirmationOption, PermissionRequest, ToolConfirmation } from '@agenthost/protocol';
import type { Decision } from '../agent.js';
import { inlineCode } from '../inlineCode.js';
import type { PermissionDecision, SdkPermissionRequest, SessionApproval } from './sdk.js';

const ONCE: ConfirmationOption = { id: 'once', label: 'Allow once', kind: 'approve' };
const SESSION = 'session';
const DENY: ConfirmationOption = { id: 'deny', label: 'Deny', kind: 'deny' };

/** How a request is put to people when it is about a call that was announced. */
export function confirmationOf(request: SdkPermissionRequest): ToolConfirmation {
  const readOnly = request.kind === 'read' && ({ readOnly: true } as const);
  return { title: titleOf(request), options: optionsOf(request), ...readOnly };
}

/** The same as a question of its own, for a request without a call, or the second one about a call. */
export function permissionRequestOf(requestId: string, request: SdkPermissionRequest): PermissionRequest {
  return {
    requestId,
    kind: 'permission',
    title: titleOf(request),
    message: subjectOf(request) ?? request.intention ?? request.hookMessage ?? titleOf(request),
    ...(request.toolCallId !== undefined && { toolCallId: request.toolCallId }),
    options: optionsOf(request),
  };
}

export function sdkDecision(
  request: SdkPermissionRequest,
  { approved, optionId, reason, text }: Decision,
): PermissionDecision {
  if (!approved || optionId === DENY.id) {
    const feedback = reason ?? text;
    // Without feedback Copilot ends its turn; with it, it looks for another way.
    return { kind: 'reject', ...(feedback !== undefined && feedback !== '' && { feedback }) };
  }
  const forSession = optionId === SESSION ? sessionDecision(request) : undefined;
  return forSession ?? { kind: 'approve-once' };
}

function optionsOf(request: SdkPermissionRequest): ConfirmationOption[] {
  const forSession = sessionDecision(request);
  const label = sessionLabel(request);
  return [ONCE, ...(forSession ? [{ id: SESSION, label, kind: 'approve' } as const] : []), DENY];
}

/** What "for this session" means for it; undefined where it must be asked each time. */
function sessionDecision(request: SdkPermissionRequest): PermissionDecision | undefined {
  if (request.managedApprovalRequired) return undefined;
  if (request.kind === 'url') {
    const domain = domainOf(request.url);
    return domain === undefined ? undefined : { kind: 'approve-for-session', domain };
  }
  const approval = sessionApproval(request);
  return approval && { kind: 'approve-for-session', approval };
}

function sessionApproval(request: SdkPermissionRequest): SessionApproval | undefined {
  const { kind, serverName, toolName } = request;
  switch (kind) {
    case 'shell': {
      const identifiers = (request.commands ?? []).map(({ identifier }) => identifier);
      // Copilot offers it where it understood the command; one that is remembered word for word is as safe.
      const isExact = identifiers.length === 1 && identifiers[0] === request.fullCommandText;
      if (identifiers.length === 0 || !(request.canOfferSessionApproval || isExact)) return undefined;
      return { kind: 'commands', commandIdentifiers: identifiers };
    }
    case 'write':
      return request.canOfferSessionApproval ? { kind } : undefined;
    case 'read':
    case 'memory':
      return { kind };
    case 'mcp':
      return serverName !== undefined && toolName !== undefined ? { kind, serverName, toolName } : undefined;
    case 'custom-tool':
      return toolName !== undefined ? { kind, toolName } : undefined;
    default:
      return undefined;
  }
}

function titleOf({ kind, serverName }: SdkPermissionRequest): string {
  switch (kind) {
    case 'shell':
      return 'Run this command?';
    case 'write':
      return 'Change this file?';
    case 'read':
      return 'Read this?';
    case 'url':
      return 'Fetch this address?';
    case 'memory':
      return 'Remember this?';
    case 'mcp':
      return `Use a tool of the MCP server ${serverName ?? ''}?`;
    default:
      return 'Allow this?';
  }
}

function sessionLabel({ kind, commands = [], url, toolTitle, toolName }: SdkPermissionRequest): string {
  switch (kind) {
    case 'shell':
      return `Always allow ${commands.map(({ identifier }) => inlineCode(identifier)).join(', ')} in this session`;
    case 'write':
      return 'Always allow changes of files in this session';
    case 'read':
      return 'Always allow reading in this session';
    case 'url':
      return `Always allow ${domainOf(url)} in this session`;
    case 'mcp':
    case 'custom-tool':
      return `Always allow ${toolTitle ?? toolName} in this session`;
    default:
      return 'Always allow in this session';
  }
}

function subjectOf({ fullCommandText, fileName, path, url, fact }: SdkPermissionRequest): string | undefined {
  return fullCommandText ?? fileName ?? path ?? url ?? fact;
}

function domainOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}
