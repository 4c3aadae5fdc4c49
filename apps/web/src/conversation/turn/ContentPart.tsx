import type { ContentRef } from '@agenthost/protocol';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { problemText } from '../../app/problemText.js';
import { PictureDialog } from '../../overlays/PictureDialog.js';
import { useChat } from '../chatContext.js';
import { bytes } from '../times.js';
import { contentKind, contentName } from './contentKind.js';
import { useContentUrl } from './useContentUrl.js';

interface ContentPartProps {
  readonly content: ContentRef;
  /** The alternative text. */
  readonly label?: string;
}

/** Content beside the conversation: an image is shown, audio has a player, and everything can be saved. */
export function ContentPart({ content, label }: ContentPartProps) {
  const { fetchContent, agentName } = useChat();
  const kind = contentKind(content);
  const name = label ?? `${kind.charAt(0).toUpperCase()}${kind.slice(1)} from ${agentName}`;
  const { url, problem } = useContentUrl(fetchContent, content.uri, {
    type: content.mimeType ?? '',
    wanted: kind !== 'file',
  });
  const [unsaved, setUnsaved] = useState<string>();
  const [broken, setBroken] = useState(false);
  const [enlarged, setEnlarged] = useState(false);
  const save = () => saveContent(fetchContent, content.uri).catch((error: unknown) => setUnsaved(problemText(error)));
  const why = problem ?? unsaved;
  return (
    <figure className="media">
      {url && kind === 'image' && !broken && (
        <button type="button" className="media-open" aria-label={`Enlarge: ${name}`} onClick={() => setEnlarged(true)}>
          <img className="picture" src={url} alt={name} onError={() => setBroken(true)} />
        </button>
      )}
      {url && kind === 'audio' && (
        // Only the agent knows what it says: there is no text to show with it.
        // biome-ignore lint/a11y/useMediaCaption: there is none
        <audio controls preload="metadata" src={url} aria-label={name} />
      )}
      {broken && <p className="notice">The image can't be shown: its data is damaged.</p>}
      {why && <p className="notice">The content could not be loaded: {why}</p>}
      <figcaption className="media-facts">
        <span>
          {contentName(content)}
          {content.sizeHint !== undefined && `, ${bytes(content.sizeHint)}`}
        </span>
        <button type="button" className="btn quiet sm" aria-label={`Save: ${name}`} onClick={() => void save()}>
          <Download size={13} aria-hidden />
          Save
        </button>
      </figcaption>
      {enlarged && url && <PictureDialog url={url} label={name} onClose={() => setEnlarged(false)} />}
    </figure>
  );
}

/** As plain bytes: a browser must not open it here. */
async function saveContent(fetchContent: ReturnType<typeof useChat>['fetchContent'], uri: string): Promise<void> {
  const fetched = await fetchContent(uri);
  const address = URL.createObjectURL(new Blob([fetched.bytes as BlobPart]));
  const link = document.createElement('a');
  link.href = address;
  link.download = uri.slice(uri.lastIndexOf('/') + 1) || 'content';
  link.click();
  URL.revokeObjectURL(address);
}
