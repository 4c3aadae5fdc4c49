import type { SessionState, ToolCallState, Turn } from '@agenthost/protocol';
import { useEffect, useRef, useState } from 'react';

/** Pages of older turns that are looked through; beyond that the conversation opens at its end. */
const MOST_PAGES = 30;

/** The id of the newest turn that has all words of a search; older turns are loaded until it is found. */
export function useFoundTurn(
  find: string | undefined,
  { turns, earlierTurns }: Pick<SessionState, 'turns' | 'earlierTurns'>,
  isLoading: boolean,
  load: () => void,
): string | undefined {
  const [found, setFound] = useState<{ readonly find: string; readonly turnId: string }>();
  const looked = useRef({ find: '', pages: 0 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: looks again when there are more turns
  useEffect(() => {
    if (find === undefined || found?.find === find || isLoading) return;
    if (looked.current.find !== find) looked.current = { find, pages: 0 };
    const words = find.toLowerCase().split(/\s+/).filter(Boolean);
    const turn = turns.findLast((one) => hasWords(one, words));
    if (turn) setFound({ find, turnId: turn.id });
    else if (earlierTurns !== undefined && looked.current.pages < MOST_PAGES) {
      looked.current.pages += 1;
      load();
    }
  }, [find, turns, isLoading]);
  return found?.find === find ? found?.turnId : undefined;
}

function hasWords(turn: Turn, words: readonly string[]): boolean {
  const text = [turn.userMessage.text, ...turn.responseParts.map(partText), ...turn.toolCalls.map(callText)]
    .join('\n')
    .toLowerCase();
  return words.length > 0 && words.every((word) => text.includes(word));
}

function partText(part: Turn['responseParts'][number]): string {
  if (part.kind === 'markdown' || part.kind === 'reasoning') return part.content;
  return part.kind === 'steering' ? part.userMessage.text : '';
}

function callText(call: ToolCallState): string {
  const output = call.status === 'pendingConfirmation' ? '' : (call.output?.text ?? '');
  const result = call.status === 'completed' ? (call.result.toolOutput ?? '') : '';
  return [call.toolInput ?? '', output, result].join('\n');
}
