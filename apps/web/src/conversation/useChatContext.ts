import type { ChatModel, Session } from '@agenthost/sessions';
import { useMemo } from 'react';
import { ownIds } from '../app/ownIds.js';
import type { PageHost } from '../app/pageHosts.js';
import { useObservable } from '../app/useObservable.js';
import { agentName } from '../list/agentName.js';
import type { ChatContext } from './chatContext.js';
import { useAnswers } from './useAnswers.js';

interface ShownChat {
  readonly session: Session;
  readonly host: PageHost;
  readonly model: ChatModel;
  readonly folder: string | undefined;
  /** Somebody else answered first. */
  readonly onLost: (message: string) => void;
}

/** What parts of a conversation need, wherever they stand. `whole` is what only the whole of it can do. */
export function useChatContext(
  { session, host, model, folder, onLost }: ShownChat,
  whole: Pick<ChatContext, 'fork' | 'retry' | 'showChanges'> = {},
): ChatContext {
  const me = useObservable(ownIds);
  const role = useObservable(host.role);
  const staleSince = useObservable(host.provider.status.staleSince);
  const answers = useAnswers(model, onLost);
  const name = agentName(host, session.sessionType);
  const canRetry = whole.retry !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what `whole` does is the same for the same chat and role
  return useMemo(
    (): ChatContext => ({
      me,
      agentName: name,
      hostName: host.name,
      role,
      folder,
      home: host.provider.folders.home,
      staleSince,
      ...answers,
      fetchContent: (uri, range) => model.fetchContent(uri, range ? { range } : {}),
      ...whole,
    }),
    [model, host, role, name, folder, staleSince, answers, me, canRetry],
  );
}
