import type { Session } from '@agenthost/sessions';
import { useObservable } from '../../app/useObservable.js';
import { BackButton } from '../../controls/BackButton.js';

/** A session whose conversation can't be shown. */
export function NoConversation({ session, reason }: { readonly session: Session; readonly reason: string }) {
  const title = useObservable(session.title);
  return (
    <main className="main">
      <header className="head">
        <BackButton />
        <div className="grow">
          <h1 className="clip">{title || 'New session'}</h1>
        </div>
      </header>
      <div className="first">
        <div className="first-in">
          <p className="lede">{reason}</p>
        </div>
      </div>
    </main>
  );
}
