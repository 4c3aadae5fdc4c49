import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { HostClient } from '@agenthost/client';
import type { ContentRef } from '@agenthost/protocol';
import { errorMessage } from '@agenthost/protocol/internal';

const MAX_MEDIA_BYTES = 2 * 1024 * 1024;

/** An image or a sound as it is; anything else by its name. */
export async function contentBlock(host: HostClient, { uri, mimeType, sizeHint }: ContentRef): Promise<ContentBlock> {
  const type = /^(image|audio)\//.exec(mimeType ?? '')?.[1] as 'image' | 'audio' | undefined;
  if (type && (sizeHint ?? 0) <= MAX_MEDIA_BYTES) {
    try {
      const content = await host.fetchContent(uri, { maxBytes: MAX_MEDIA_BYTES });
      return { type, data: Buffer.from(content.bytes).toString('base64'), mimeType: mimeType ?? '' };
    } catch (error) {
      return { type: 'text', text: `(${uri} could not be read: ${errorMessage(error)})` };
    }
  }
  const name = uri.split('/').at(-1) ?? uri;
  return { type: 'resource_link', name, uri, ...(mimeType !== undefined && { mimeType }) };
}
