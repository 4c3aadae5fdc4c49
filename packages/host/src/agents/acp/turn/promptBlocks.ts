import { randomUUID } from 'node:crypto';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Attachment, UserMessage } from '@agenthost/protocol';
import type { PromptCapabilities } from '../updateSchemas.js';

export interface PromptBlocks {
  readonly blocks: ContentBlock[];
  /** What the agent does not get, as sentences. */
  readonly leftOut: readonly string[];
}

/** A message as the agent takes it: every agent takes text and links; images and embedded texts only those that say so. */
export function promptBlocks(message: UserMessage, capabilities: PromptCapabilities): PromptBlocks {
  const leftOut: string[] = [];
  const blocks: ContentBlock[] = [{ type: 'text', text: message.text }];
  for (const attachment of message.attachments ?? []) {
    const block = blockOf(attachment, capabilities);
    if (block) blocks.push(block);
    else leftOut.push(`This agent does not take ${attachment.kind}s: ${attachment.label} was left out.`);
  }
  return { blocks, leftOut };
}

function blockOf(attachment: Attachment, capabilities: PromptCapabilities): ContentBlock | undefined {
  const { kind, label, uri, data, mimeType } = attachment;
  if (kind === 'image' && data !== undefined) {
    if (capabilities?.image) return { type: 'image', data, mimeType: mimeType ?? 'image/png', ...(uri && { uri }) };
    return link(attachment);
  }
  if (data !== undefined && (kind === 'text' || kind === 'selection')) {
    const address = uri === undefined ? `attachment:${randomUUID()}` : `${uri}${fragment(attachment)}`;
    if (!capabilities?.embeddedContext) return { type: 'text', text: `${label} (${address}):\n\n${data}` };
    return { type: 'resource', resource: { uri: address, text: data, mimeType: mimeType ?? 'text/plain' } };
  }
  return link(attachment);
}

function link({ label, uri, mimeType, ...rest }: Attachment): ContentBlock | undefined {
  if (uri === undefined) return undefined;
  const address = `${uri}${fragment({ label, ...rest })}`;
  return { type: 'resource_link', name: label, uri: address, ...(mimeType !== undefined && { mimeType }) };
}

/** Lines as most tools write them: from one. */
function fragment({ range }: Attachment): string {
  return range ? `#L${range.start.line + 1}-${range.end.line + 1}` : '';
}
