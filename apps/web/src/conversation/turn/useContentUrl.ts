import type { Content } from '@agenthost/client';
import { useEffect, useState } from 'react';
import { problemText } from '../../app/problemText.js';

interface ContentUrl {
  readonly url?: string;
  readonly problem?: string;
}

/** Fetches a content when it is `wanted`, and gives it an address in this page while it is shown. */
export function useContentUrl(
  fetchContent: (uri: string) => Promise<Content>,
  uri: string,
  { type, wanted }: { readonly type: string; readonly wanted: boolean },
): ContentUrl {
  const [state, setState] = useState<ContentUrl>({});
  useEffect(() => {
    if (!wanted) return;
    let [url, isShown] = [undefined as string | undefined, true];
    fetchContent(uri).then(
      ({ bytes }) => {
        if (!isShown) return;
        url = URL.createObjectURL(new Blob([bytes as BlobPart], { type }));
        setState({ url });
      },
      (error: unknown) => isShown && setState({ problem: problemText(error) }),
    );
    return () => {
      isShown = false;
      if (url) URL.revokeObjectURL(url);
      setState({});
    };
  }, [fetchContent, uri, type, wanted]);
  return state;
}
