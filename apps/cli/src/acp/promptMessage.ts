import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { Attachment, UserMessage } from '@agenthost/protocol';
import { usageError } from '../commandError.js';

/** What a person wrote in an editor, with the files that it refers to. */
export function promptMessage(blocks: readonly ContentBlock[]): UserMessage {
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const block of blocks) {
    switch (block.type) {
      case 'text':
        texts.push(block.text);
        break;
      case 'image':
        attachments.push({ kind: 'image', label: 'Image', data: block.data, mimeType: block.mimeType });
        break;
      case 'resource_link':
        mention(texts, block.name);
        attachments.push({ kind: 'file', label: block.title ?? block.name, uri: block.uri });
        break;
      case 'resource': {
        const { resource } = block;
        const label = labelOf(resource.uri);
        mention(texts, label);
        if ('text' in resource) attachments.push({ kind: 'text', label, uri: resource.uri, data: resource.text });
        else attachments.push({ kind: 'file', label, uri: resource.uri });
        break;
      }
      default:
        throw usageError(`The host takes no ${block.type} in a message.`, 'Leave it out.');
    }
  }
  const text = texts.join('');
  if (text.trim() === '' && attachments.length === 0) throw usageError('The message is empty.', 'Write something.');
  return { text, ...(attachments.length > 0 && { attachments }) };
}

/** Where it stands in the text, apart from the words around it. */
function mention(texts: string[], name: string): void {
  texts.push(/\S$/.test(texts.at(-1) ?? '') ? ` @${name}` : `@${name}`);
}

function labelOf(uri: string): string {
  return (
    uri
      .replace(/[?#].*$/, '')
      .split('/')
      .at(-1) || uri
  );
}
