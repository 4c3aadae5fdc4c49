import type { PagePlace } from '../app/pagePlace.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { useStable } from '../app/useStable.js';
import { Banner } from './Banner.js';
import { type ChatContext, ChatProvider } from './chatContext.js';
import { KeptMessages } from './thread/KeptMessages.js';
import { Skeleton } from './thread/Skeleton.js';

interface AwaitedSessionProps {
  readonly place: PagePlace | undefined;
  readonly chat: string | undefined;
}

/** A session that its place hasn't listed yet: only messages that were sent before the reload are shown. */
export function AwaitedSession({ place, chat }: AwaitedSessionProps) {
  const { unsent } = useServices();
  const messages = useObservable(useStable(() => unsent.of(chat ?? ''), [unsent, chat]));
  if (!place) return <Skeleton />;
  return (
    <ChatProvider value={contextOf(place)}>
      <Banner place={place} />
      <KeptMessages messages={messages} />
    </ChatProvider>
  );
}

function contextOf(place: PagePlace): ChatContext {
  const unavailable = () => Promise.reject(new Error(`${place.name} isn't answering.`));
  return {
    me: new Set(),
    agentName: '',
    role: 'viewer',
    hostName: place.name,
    host: undefined,
    agentId: '',
    folder: undefined,
    home: undefined,
    staleSince: undefined,
    approve: unavailable,
    deny: unavailable,
    answer: unavailable,
    fetchContent: unavailable,
    earlierSteps: unavailable,
  };
}
