import type { ConfirmationOption, PermissionRequest, ToolConfirmation } from '@agenthost/protocol';
import type { Decision } from '../agent.js';
import { boundedInput } from '../events/boundedInput.js';
import { jsonText } from '../events/jsonText.js';
import { fencedCode, inlineCode } from '../events/markdownCode.js';
import type { PermissionDecision, SdkPermissionRequest, SessionApproval } from './sdk.js';
import type { ToolCallDisplay } from './toolDisplay.js';

const ONCE: ConfirmationOption = { id: 'once', label: 'Allow once', kind: 'approve' };
const SESSION = 'session';
const DENY: ConfirmationOption = { id: 'deny', label: 'Deny', kind: 'deny' };

/** How a request about an announced call is shown. */
export function confirmationOf(request: SdkPermissionRequest): ToolConfirmation {
  const readOnly = request.kind === 'read' && ({ readOnly: true } as const);
  return { title: titleOf(request), options: optionsOf(request), ...readOnly };
}

/** What would be done, when the request says more than the call: the change of a file, the arguments of a tool. */
export function requestInput(request: SdkPermissionRequest): Pick<ToolCallDisplay, 'toolInput' | 'language'> {
  const { kind, diff, newFileContents, args } = request;
  if (kind === 'write' && diff) return { toolInput: boundedInput(diff.trim()), language: 'diff' };
  if (kind === 'write' && newFileContents) {
    return { toolInput: boundedInput(`${request.fileName ?? ''}\n\n${newFileContents}`) };
  }
  const isEmpty = args === undefined || args === null || (typeof args === 'object' && Object.keys(args).length === 0);
  if (isEmpty) return {};
  const text = typeof args === 'string' ? args : jsonText(args);
  return { toolInput: boundedInput(text), language: 'json' };
}

/** The same as a separate question, for a request without a call, or the second one about a call. */
export function permissionRequestOf(requestId: string, request: SdkPermissionRequest): PermissionRequest {
  const { toolInput, language } = requestInput(request);
  const subject = subjectOf(request) ?? request.intention ?? request.hookMessage ?? titleOf(request);
  return {
    requestId,
    kind: 'permission',
    title: titleOf(request),
    message: toolInput === undefined ? subject : `${subject}\n\n${fencedCode(toolInput, language)}`,
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
  if (!forSession) return [ONCE, DENY];
  const lasting = { id: SESSION, label: sessionLabel(request), kind: 'approve', explicit: true } as const;
  return [ONCE, { ...lasting, covers: sessionCovers(request) }, DENY];
}

/** The meaning of "for this session"; undefined when it must be asked each time. */
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
      // Copilot offers it when it understood the command; a command that is remembered word for word is equally safe.
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

function titleOf({ kind, serverName, toolTitle, toolName, ...request }: SdkPermissionRequest): string {
  const tool = toolTitle ?? toolName;
  switch (kind) {
    case 'shell':
      return 'Run this command?';
    case 'write':
      return requestInput({ kind, ...request }).toolInput === undefined
        ? 'Change this file? Copilot does not show the change.'
        : 'Change this file?';
    case 'read':
      return 'Read this?';
    case 'url':
      return 'Fetch this address?';
    case 'memory':
      return 'Remember this?';
    case 'mcp':
      return `Use ${tool ? `the tool ${tool}` : 'a tool'} of the MCP server ${serverName ?? ''}?`;
    default:
      return tool ? `Use the tool ${tool}?` : 'Allow this?';
  }
}

function sessionLabel(request: SdkPermissionRequest): string {
  const covers = sessionCovers(request);
  return request.kind === 'memory' || covers === ''
    ? 'Always allow in this session'
    : `Always allow ${covers} in this session`;
}

/** What Copilot does without asking after that answer. */
export function sessionCovers({ kind, commands = [], url, toolTitle, toolName }: SdkPermissionRequest): string {
  switch (kind) {
    case 'shell':
      return commands.map(({ identifier }) => inlineCode(identifier)).join(', ');
    case 'write':
      return 'changes of files';
    case 'read':
      return 'reading';
    case 'url':
      return domainOf(url) ?? '';
    case 'memory':
      return 'remembering';
    default:
      return toolTitle ?? toolName ?? '';
  }
}

function subjectOf({ fullCommandText, fileName, path, url, fact }: SdkPermissionRequest): string | undefined {
  return fullCommandText ?? fileName ?? path ?? url ?? fact;
}

function domainOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname : undefined;
}
