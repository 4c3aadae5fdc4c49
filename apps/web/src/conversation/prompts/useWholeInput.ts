import type { ToolCallState } from '@agenthost/protocol';
import { useEffect, useState } from 'react';
import { problemText } from '../../app/problemText.js';
import { useChat } from '../chatContext.js';

interface WholeInput {
  /** The whole text, or the part in the state until it is loaded. */
  readonly text: string | undefined;
  readonly isWhole: boolean;
  readonly problem: string | undefined;
}

/** A call's whole input, also when the state has only its head and tail. */
export function useWholeInput({ toolInput, toolInputRef }: ToolCallState): WholeInput {
  const { fetchContent } = useChat();
  const [fetched, setFetched] = useState<{ readonly uri: string; readonly text?: string; readonly problem?: string }>();
  const uri = toolInputRef?.uri;
  useEffect(() => {
    if (uri === undefined) return;
    let isWanted = true;
    fetchContent(uri).then(
      (content) => isWanted && setFetched({ uri, text: content.text() }),
      (error: unknown) => isWanted && setFetched({ uri, problem: problemText(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [uri, fetchContent]);
  if (uri === undefined) return { text: toolInput, isWhole: true, problem: undefined };
  const whole = fetched?.uri === uri ? fetched : undefined;
  return { text: whole?.text ?? toolInput, isWhole: whole?.text !== undefined, problem: whole?.problem };
}
