import type { AgentContent } from '../../agent.js';
import type { ContentBlockFields, ToolCallFields } from '../updateSchemas.js';

/** `data:image/png;base64,…`: some agents send bytes as a link. */
const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;

/** The bytes that a block brings; `undefined` where it is text, or a link to something elsewhere. */
export function blockContent({ type, data, mimeType, uri, resource }: ContentBlockFields): AgentContent | undefined {
  switch (type) {
    case 'image':
    case 'audio':
      // Named by what it is where the agent does not say more, so that a notice can tell.
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

/** What a block says, as text or markdown. Nothing where it brings bytes. */
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

/** Images, audio and files among a call's content. */
export function callContents({ content = [] }: ToolCallFields): readonly AgentContent[] {
  return content.flatMap(({ content: block }) => {
    const bytes = block && blockContent(block);
    return bytes ? [bytes] : [];
  });
}

function dataUri(uri: string): AgentContent | undefined {
  // Its head alone is looked at: the rest may have megabytes.
  const [head, mimeType] = DATA_URI.exec(uri.slice(0, 1_000)) ?? [];
  return head === undefined ? undefined : { data: uri.slice(head.length), mimeType };
}
