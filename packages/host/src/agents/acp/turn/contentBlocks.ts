import { randomUUID } from 'node:crypto';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Attachment, UserMessage } from '@agenthost/protocol';
import type { AgentContent } from '../../agent.js';
import type { ContentBlockFields, PromptCapabilities, ToolCallFields } from '../updateSchemas.js';

/** `data:image/png;base64,…`: some agents send bytes as a link. */
const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;

/** The bytes of a block; `undefined` for text or a link to another place. */
export function blockContent({ type, data, mimeType, uri, resource }: ContentBlockFields): AgentContent | undefined {
  switch (type) {
    case 'image':
    case 'audio':
      // Named after its type when the agent gives no name, so that a notice can name it.
      if (data || !uri) return { data: data ?? '', mimeType: mimeType || type };
      return dataUri(uri);
    case 'resource':
      return resource?.blob === undefined ? undefined : { data: resource.blob, mimeType: resource.mimeType };
    case 'resource_link':
      return dataUri(uri ?? '');
    default:
      return undefined;
  }
}

/** The text or markdown of a block. Empty for bytes. */
export function blockText(block: ContentBlockFields): string {
  if (blockContent(block)) return '';
  const { type, text, name, uri, resource } = block;
  switch (type) {
    case 'text':
      return text ?? '';
    case 'image':
    case 'audio':
      return `[${type}](${uri})`;
    case 'resource_link':
      return uri ? `[${name ?? uri}](${uri})` : '';
    case 'resource':
      return resource?.text ?? resource?.uri ?? '';
    default:
      return `(${type} content, which is not shown)`;
  }
}

/** Images, audio and files in a call's content. */
export function callContents({ content = [] }: ToolCallFields): readonly AgentContent[] {
  return content.flatMap(({ content: block }) => {
    const bytes = block && blockContent(block);
    return bytes ? [bytes] : [];
  });
}

function dataUri(uri: string): AgentContent | undefined {
  // Only the head is checked: the rest may be megabytes.
  const [head, mimeType] = DATA_URI.exec(uri.slice(0, 1_000)) ?? [];
  return head === undefined ? undefined : { data: uri.slice(head.length), mimeType };
}

interface PromptBlocks {
  readonly blocks: ContentBlock[];
  /** What the agent does not get, as sentences. */
  readonly leftOut: readonly string[];
}

/** A message in the agent's form: every agent accepts text and links; only some accept images and embedded texts. */
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

/** Line numbers start at one, as in most tools. */
function fragment({ range }: Attachment): string {
  return range ? `#L${range.start.line + 1}-${range.end.line + 1}` : '';
}
