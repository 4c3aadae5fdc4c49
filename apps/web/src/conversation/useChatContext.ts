import type { ChatModel, Session } from '@agenthost/sessions';
import { useMemo } from 'react';
import { ownIds } from '../app/ownIds.js';
import { asHost, type PagePlace } from '../app/pagePlace.js';
import { useObservable } from '../app/useObservable.js';
import { agentName } from '../list/agentName.js';
import type { ChatContext } from './chatContext.js';
import { useAnswers } from './prompts/useAnswers.js';
import { homeOf } from './relativePath.js';

interface ShownChat {
  readonly session: Session;
  readonly place: PagePlace;
  readonly model: ChatModel;
  readonly folder: string | undefined;
  /** Called when another client answered first. */
  readonly onLost: (message: string) => void;
}

/** What parts of a conversation need, in any place. `whole` is for the whole conversation only. */
export function useChatContext(
  { session, place, model, folder, onLost }: ShownChat,
  whole: Pick<ChatContext, 'fork' | 'retry' | 'edit' | 'stop' | 'showChanges' | 'awaitingLogin'> = {},
): ChatContext {
  const me = useObservable(ownIds);
  const role = useObservable(place.role);
  const staleSince = useObservable(place.staleSince);
  const answers = useAnswers(model, onLost);
  const name = agentName(place, session.sessionType);
  const canRetry = whole.retry !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what `whole` does is the same for the same chat and role
  return useMemo(
    (): ChatContext => ({
      me,
      agentName: name,
      hostName: place.name,
      host: asHost(place),
      agentId: session.sessionType,
      role,
      folder,
      home: homeOf(asHost(place)?.provider.folders.home),
      staleSince,
      ...answers,
      sendInput: (toolCallId, input) => model.sendInput(toolCallId, input),
      earlierSteps: (turn, before) => model.earlierSteps(turn, { before }),
      fetchContent: (uri, range) => model.fetchContent(uri, range ? { range } : {}),
      ...whole,
    }),
    [model, place, role, name, folder, staleSince, answers, me, canRetry, whole.awaitingLogin],
  );
}
