import type { PageHost } from '../app/pageHosts.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { useStable } from '../app/useStable.js';
import { Banner } from './Banner.js';
import { type ChatContext, ChatProvider } from './chatContext.js';
import { KeptMessages } from './KeptMessages.js';
import { Skeleton } from './Skeleton.js';

interface AwaitedSessionProps {
  readonly host: PageHost | undefined;
  readonly chat: string | undefined;
}

/** A session of a host that has not told of it: what was sent before the page was loaded is here, and nothing else. */
export function AwaitedSession({ host, chat }: AwaitedSessionProps) {
  const { unsent } = useServices();
  const messages = useObservable(useStable(() => unsent.of(chat ?? ''), [unsent, chat]));
  if (!host) return <Skeleton />;
  return (
    <ChatProvider value={contextOf(host)}>
      <Banner host={host} />
      <KeptMessages messages={messages} />
    </ChatProvider>
  );
}

function contextOf(host: PageHost): ChatContext {
  const unavailable = () => Promise.reject(new Error(`${host.name} isn't answering.`));
  return {
    me: new Set(),
    agentName: '',
    role: 'viewer',
    hostName: host.name,
    folder: undefined,
    home: undefined,
    staleSince: undefined,
    approve: unavailable,
    deny: unavailable,
    answer: unavailable,
    fetchContent: unavailable,
  };
}
