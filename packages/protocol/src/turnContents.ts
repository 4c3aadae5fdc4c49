import type { ContentRef } from './types/common.js';
import type { Turn, UserMessage } from './types/turns.js';
import { parseContentUri, type URI } from './uri.js';

const HASHED_ID = /^(?:agent|pasted)-([0-9a-f]{64})\.[a-z0-9]{1,8}$/;

/** The SHA-256, in hexadecimal, of content that is named after its bytes; `undefined` for any other. */
export function contentHash(uri: URI): string | undefined {
  return HASHED_ID.exec(parseContentUri(uri)?.contentId ?? '')?.[1];
}

/** What a turn refers to and that is no output of a tool's: images and files of the agent, what clients pasted. Each once. */
export function turnContents({ userMessage, responseParts, toolCalls }: Turn): readonly ContentRef[] {
  const refs = [
    ...messageRefs(userMessage),
    ...responseParts.flatMap((part) => {
      if (part.kind === 'contentRef') return [part.ref];
      return part.kind === 'steering' ? messageRefs(part.userMessage) : [];
    }),
    ...toolCalls
      .flatMap((call) => (call.status === 'completed' ? (call.result.content ?? []) : []))
      .flatMap((piece) => (piece.type === 'contentRef' ? [piece.ref] : [])),
  ];
  const hashed = refs.filter(({ uri }) => contentHash(uri) !== undefined);
  return [...new Map(hashed.map((ref) => [ref.uri, ref])).values()];
}

function messageRefs({ textRef, attachments = [] }: UserMessage): ContentRef[] {
  return [...(textRef ? [textRef] : []), ...attachments.flatMap(({ ref }) => (ref ? [ref] : []))];
}
