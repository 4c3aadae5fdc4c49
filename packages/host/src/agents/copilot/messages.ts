import { fileURLToPath } from 'node:url';
import type { Attachment, UserMessage } from '@agenthost/protocol';
import type { SdkAttachment, SdkMessage } from './sdk.js';

/** A message as Copilot takes it. What it has no attachment for goes into the text. */
export function sdkMessage({ text, attachments = [] }: UserMessage, prompt: string): SdkMessage {
  const given = attachments.map(sdkAttachment);
  const files = given.filter((one) => typeof one !== 'string');
  const texts = given.filter((one) => typeof one === 'string');
  return {
    prompt: [prompt, ...texts].join('\n\n'),
    ...(prompt !== text && { displayPrompt: text }),
    ...(files.length > 0 && { attachments: files }),
  };
}

function sdkAttachment({ kind, label, uri, data, mimeType }: Attachment): SdkAttachment | string {
  const path = uri?.startsWith('file:') ? fileURLToPath(uri) : undefined;
  if (kind === 'image' && data !== undefined) {
    return { type: 'blob', data, mimeType: mimeType ?? 'image/png', displayName: label };
  }
  if (data === undefined && path !== undefined) {
    return { type: kind === 'directory' ? 'directory' : 'file', path, displayName: label };
  }
  const where = path ?? uri ?? label;
  return data === undefined ? `Attached: ${where}` : `Attached: ${where}\n\`\`\`\n${data}\n\`\`\``;
}
