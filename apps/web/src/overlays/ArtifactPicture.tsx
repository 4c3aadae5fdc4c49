import type { Artifact } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { useCallback } from 'react';
import { useContentUrl } from '../conversation/turn/useContentUrl.js';

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** The picture type of a file, by its name; `undefined` if it is no picture. */
export function pictureType(name: string): string | undefined {
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
}

interface ArtifactPictureProps {
  readonly artifact: Artifact;
  readonly type: string;
  readonly model: ChatModel;
}

export function ArtifactPicture({ artifact, type, model }: ArtifactPictureProps) {
  const fetchContent = useCallback((uri: string) => model.fetchContent(uri), [model]);
  const { url, problem } = useContentUrl(fetchContent, artifact.uri, { type, wanted: true });
  if (problem) return <p className="why bad">{problem}</p>;
  return url ? <img className="picture" src={url} alt={artifact.name} /> : null;
}
