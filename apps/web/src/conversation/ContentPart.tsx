import type { ContentRef } from '@agenthost/protocol';
import { useEffect, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { isShownImage } from '../markdown/safeUrl.js';
import { useChat } from './chatContext.js';
import { bytes } from './times.js';

const LARGEST = 16 * 1024 * 1024;

/** Something that is kept beside the conversation: an image is shown, anything else can be saved. */
export function ContentPart({
  content,
  label = 'From the agent',
}: {
  readonly content: ContentRef;
  readonly label?: string;
}) {
  const { fetchContent } = useChat();
  const [url, setUrl] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const isImage =
    content.mimeType !== undefined && isShownImage(content.mimeType) && (content.sizeHint ?? 0) <= LARGEST;
  useEffect(() => {
    if (!isImage) return;
    let address: string | undefined;
    let wanted = true;
    fetchContent(content.uri).then(
      (fetched) => {
        if (!wanted) return;
        address = URL.createObjectURL(new Blob([fetched.bytes as BlobPart], { type: content.mimeType ?? '' }));
        setUrl(address);
      },
      (error: unknown) => wanted && setProblem(problemText(error)),
    );
    return () => {
      wanted = false;
      if (address) URL.revokeObjectURL(address);
    };
  }, [content.uri, content.mimeType, isImage, fetchContent]);
  const save = async () => {
    const fetched = await fetchContent(content.uri);
    const address = URL.createObjectURL(new Blob([fetched.bytes as BlobPart]));
    const link = document.createElement('a');
    link.href = address;
    link.download = content.uri.slice(content.uri.lastIndexOf('/') + 1) || 'content';
    link.click();
    URL.revokeObjectURL(address);
  };
  if (problem) return <p className="notice">The content could not be loaded: {problem}</p>;
  if (url) return <img className="picture" src={url} alt={label} />;
  return (
    <button
      type="button"
      className="btn plain sm"
      onClick={() => void save().catch((error: unknown) => setProblem(problemText(error)))}
    >
      Save {content.mimeType ?? 'content'}
      {content.sizeHint !== undefined && `, ${bytes(content.sizeHint)}`}
    </button>
  );
}
