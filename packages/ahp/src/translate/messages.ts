import type { Attachment, ContentRef, PendingMessage, UserMessage } from '@agenthost/protocol';
import type { AhpAttachment, AhpContentRef, AhpMessage, AhpPendingMessage } from '../types.js';
import { isRecord, type JsonRecord, textOf } from './json.js';

/** With the model that it was written for, if known. */
export function messageOf({ text, attachments = [] }: UserMessage, model?: string): AhpMessage {
  return {
    text,
    origin: { kind: 'user' },
    ...(attachments.length > 0 && { attachments: attachments.map(attachmentOf) }),
    ...(model !== undefined && { model: { id: model } }),
  };
}

/** The message of a turn. AHP has no turns that an agent begins: the text says so. */
export function turnMessageOf(
  { userMessage, origin }: { readonly userMessage: UserMessage; readonly origin?: 'agent' },
  model?: string,
): AhpMessage {
  return messageOf(origin === 'agent' ? { text: '(The agent continued on its own.)' } : userMessage, model);
}

export function pendingMessageOf({ id, userMessage }: PendingMessage): AhpPendingMessage {
  return { id, message: messageOf(userMessage) };
}

export function contentRefOf({ uri, sizeHint, mimeType }: ContentRef): AhpContentRef {
  return {
    uri,
    ...(sizeHint !== undefined && { sizeHint }),
    ...(mimeType !== undefined && { contentType: mimeType }),
  };
}

const DISPLAY_KIND = {
  file: 'document',
  directory: 'directory',
  selection: 'selection',
  image: 'image',
  text: 'document',
} as const satisfies Readonly<Record<Attachment['kind'], string>>;

function attachmentOf({ kind, label, uri, data, ref, mimeType, range }: Attachment): AhpAttachment {
  const base = { label, displayKind: DISPLAY_KIND[kind] };
  const selection = range && { selection: { range } };
  if (ref)
    return { type: 'resource', ...base, ...contentRefOf({ ...ref, ...(mimeType && { mimeType }) }), ...selection };
  if (data !== undefined && kind === 'image') {
    return { type: 'embeddedResource', ...base, data, contentType: mimeType ?? 'application/octet-stream' };
  }
  if (data !== undefined) return { type: 'simple', ...base, modelRepresentation: data };
  if (uri !== undefined)
    return { type: 'resource', ...base, uri, ...(mimeType && { contentType: mimeType }), ...selection };
  return { type: 'simple', ...base };
}

/** `undefined` when it is no message. Attachments that our agents can't get become text that names them. */
export function userMessageOf(message: unknown): UserMessage | undefined {
  if (!isRecord(message)) return undefined;
  const text = textOf(message['text']);
  if (text === undefined) return undefined;
  const { attachments } = message;
  if (attachments !== undefined && !Array.isArray(attachments)) return undefined;
  const taken = (attachments ?? []).filter((one: unknown) => !isCommand(one)).map(ourAttachment);
  if (taken.some((attachment) => attachment === undefined)) return undefined;
  return { text, ...(taken.length > 0 && { attachments: taken as Attachment[] }) };
}

/** What a client attaches to a slash command that it completed; the command itself is in the text. */
function isCommand(attachment: unknown): boolean {
  const meta = isRecord(attachment) && attachment['type'] === 'simple' ? attachment['_meta'] : undefined;
  return isRecord(meta) && textOf(meta['command']) !== undefined;
}

/** The requested model of a message. */
export function modelOf(message: unknown): string | undefined {
  const model = isRecord(message) ? message['model'] : undefined;
  return isRecord(model) ? textOf(model['id']) : undefined;
}

function ourAttachment(attachment: unknown): Attachment | undefined {
  if (!isRecord(attachment)) return undefined;
  const label = textOf(attachment['label']) ?? 'attachment';
  switch (attachment['type']) {
    case 'resource':
      return resourceAttachment(attachment, label);
    case 'embeddedResource':
      return embeddedAttachment(attachment, label);
    default:
      return { kind: 'text', label, data: textOf(attachment['modelRepresentation']) ?? label };
  }
}

function resourceAttachment(attachment: JsonRecord, label: string): Attachment | undefined {
  const named = textOf(attachment['uri']);
  if (named === undefined) return undefined;
  const uri = fileOf(named);
  const range = isRecord(attachment['selection']) ? attachment['selection']['range'] : undefined;
  const isFolder = attachment['displayKind'] === 'directory';
  if (!isRecord(range)) return { kind: isFolder ? 'directory' : 'file', label, uri };
  return { kind: 'selection', label, uri, range: range as unknown as NonNullable<Attachment['range']> };
}

/**
 * In a browser VS Code names files of its server's machine `vscode-remote://<server>/<path>`. It maps the folders of sessions to
 * `file:` itself, but not attachments.
 */
function fileOf(uri: string): string {
  const path = /^vscode-remote:\/\/[^/?#]*(\/[^?#]*)/.exec(uri)?.[1];
  return path !== undefined && URL.canParse(`file://${path}`) ? new URL(`file://${path}`).href : uri;
}

function embeddedAttachment(attachment: JsonRecord, label: string): Attachment | undefined {
  const data = textOf(attachment['data']);
  if (data === undefined) return undefined;
  const mimeType = textOf(attachment['contentType']) ?? 'application/octet-stream';
  if (mimeType.startsWith('image/')) return { kind: 'image', label, data, mimeType };
  const text = decodedText(data);
  return { kind: 'text', label, data: text ?? `${label} (${mimeType}) can't be shown as text`, mimeType: 'text/plain' };
}

function decodedText(base64: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
