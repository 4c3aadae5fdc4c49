import type { Attachment, ContentRef, UserMessage } from '@agenthost/protocol';
import type { CommandChannel, CommandOptions } from '../connection/commandChannel.js';
import { base64 } from './base64.js';
import { type Content, fetchContent } from './content.js';

/** A message as it was sent: with the text and the data that the state only refers to. */
export async function wholeMessage(
  commands: CommandChannel,
  { text, textRef, attachments, ...rest }: UserMessage,
  options: CommandOptions,
): Promise<UserMessage> {
  const fetch = (ref: ContentRef): Promise<Content> => fetchContent(commands, ref.uri, options);
  const whole: Attachment[] = [];
  for (const { ref, ...attachment } of attachments ?? []) {
    const content = ref && (await fetch(ref));
    const data = attachment.kind === 'image' ? content && base64(content.bytes) : content?.text();
    whole.push({ ...attachment, ...(data !== undefined && { data }) });
  }
  const wholeText = textRef ? (await fetch(textRef)).text() : text;
  return { text: wholeText, ...(attachments && { attachments: whole }), ...rest };
}
