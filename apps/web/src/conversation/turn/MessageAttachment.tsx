import type { Attachment } from '@agenthost/protocol';
import { File, Folder, ImageIcon, TextQuote } from 'lucide-react';
import { useMemo } from 'react';
import { FileLink } from '../../files/FileLink.js';
import { isShownImage } from '../../markdown/safeUrl.js';
import { pathOf } from '../relativePath.js';
import { ContentPart } from './ContentPart.js';

/** An image is shown, wherever its bytes are; anything else by its name. */
export function MessageAttachment({ attachment }: { readonly attachment: Attachment }) {
  const { kind, label, uri, data, ref, mimeType } = attachment;
  const type = mimeType ?? ref?.mimeType;
  const url = useMemo(
    () => (kind === 'image' && data && type && isShownImage(type) ? `data:${type};base64,${data}` : undefined),
    [kind, data, type],
  );
  if (url) return <img className="picture" src={url} alt={label} />;
  if (kind === 'image' && ref && type) return <ContentPart content={{ ...ref, mimeType: type }} label={label} />;
  return (
    <span className="att">
      <AttachmentIcon kind={kind} />
      <span className="clip">
        <FileLink text={uri === undefined ? '' : pathOf(uri)}>{label}</FileLink>
      </span>
    </span>
  );
}

export function AttachmentIcon({ kind }: { readonly kind: Attachment['kind'] }) {
  if (kind === 'directory') return <Folder size={13} aria-hidden />;
  if (kind === 'image') return <ImageIcon size={13} aria-hidden />;
  if (kind === 'selection' || kind === 'text') return <TextQuote size={13} aria-hidden />;
  return <File size={13} aria-hidden />;
}
