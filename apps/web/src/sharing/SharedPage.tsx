import './sharedPage.css';
import { UnauthorizedError } from '@agenthost/client';
import type { Session } from '@agenthost/sessions';
import { useEffect, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { useServices } from '../app/services.js';
import { applyTheme } from '../app/settings.js';
import { useObservable } from '../app/useObservable.js';
import { ChatView } from '../conversation/ChatView.js';
import { Brand } from '../list/Brand.js';
import { endText, LinkNoteProvider } from './linkNote.js';

/** What somebody with a read-only link sees: one conversation, without a list. */
export function SharedPage() {
  const { hosts, settings } = useServices();
  const { theme } = useObservable(settings.value);
  const [own] = useObservable(hosts.all);
  useEffect(() => applyTheme(theme), [theme]);
  return <div className="app hide-list shared">{own && <SharedChat host={own} />}</div>;
}

function SharedChat({ host }: { readonly host: PageHost }) {
  const { management } = useServices();
  const connection = useObservable(host.connection);
  const [shown, setShown] = useState<{ readonly session: Session; readonly endsAt: number }>();
  const [problem, setProblem] = useState<string>();
  const shared = host.shared();
  const isConnected = connection.state === 'connected';
  useEffect(() => {
    if (!isConnected || !shared) return;
    let isOver = false;
    host.provider.findSession(shared.session).then(
      (session) => {
        if (isOver) return;
        setShown({ session, endsAt: shared.endsAt });
        void management.openSession(session.resource).catch(() => {});
      },
      (error: unknown) => !isOver && setProblem(problemText(error)),
    );
    return () => {
      isOver = true;
    };
  }, [host, management, isConnected, shared]);
  const title = shown?.session.title.value;
  useEffect(() => {
    if (title) document.title = title;
  }, [title]);
  if (connection.state === 'closed' && connection.reason instanceof UnauthorizedError)
    return <Ended text={endedText(shown?.endsAt)} />;
  if (!shown) return <Ended text={problem ?? `Waiting for ${host.name}…`} />;
  const note = `Read-only link. It ends on ${endText(shown.endsAt)}.`;
  return (
    <LinkNoteProvider value={note}>
      <ChatView
        session={shown.session}
        place={host}
        chat={shown.session.mainChat.resource}
        onRename={() => {}}
        onDelete={() => {}}
      />
    </LinkNoteProvider>
  );
}

function Ended({ text }: { readonly text: string }) {
  return (
    <main className="main">
      <div className="first">
        <div className="first-in">
          <Brand />
          <h1>{text}</h1>
        </div>
      </div>
    </main>
  );
}

function endedText(endsAt: number | undefined): string {
  if (endsAt !== undefined && endsAt <= Date.now())
    return `This link ended on ${endText(endsAt)}; ask whoever sent it for a new one.`;
  return 'This link no longer works, because it has ended or was revoked; ask whoever sent it for a new one.';
}
