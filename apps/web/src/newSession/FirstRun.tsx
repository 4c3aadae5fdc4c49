import { LoginState } from '../agents/AgentsDialog.js';
import { LoginButton } from '../agents/LoginButton.js';
import { canLogIn, needsLogin } from '../agents/loginWords.js';
import type { PageHost } from '../app/pagePlace.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { useSignedOut } from '../app/useSignedOut.js';
import { Banner } from '../conversation/Banner.js';
import { AskName } from '../devices/AskName.js';
import { SignIn } from '../devices/SignIn.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { OtherAgents } from './AgentCards.js';

interface FirstRunProps {
  readonly isFirst: boolean;
  /** In the place of an empty list, where only one pane fits: that one is the page's main part. */
  readonly isInList?: boolean;
}

/** The view when no session is open. */
export function FirstRun({ isFirst, isInList = false }: FirstRunProps) {
  const { hosts } = useServices();
  const [host] = useObservable(hosts.all);
  if (!host) return null;
  const view = (
    <div className={isInList ? 'first in-list' : 'first'}>
      <div className="first-in">
        <HostStart host={host} isFirst={isFirst} />
      </div>
    </div>
  );
  if (isInList) return view;
  return (
    <main className="main">
      <StartBanner host={host} />
      {view}
    </main>
  );
}

/** What is wrong with the host, except that it asks for a link: the view does that itself. */
function StartBanner({ host }: { readonly host: PageHost }) {
  return useSignedOut(host) ? null : <Banner place={host} />;
}

function HostStart({ host, isFirst }: { readonly host: PageHost; readonly isFirst: boolean }) {
  const { hosts } = useServices();
  const refusal = useObservable(hosts.whyNoNewSession);
  const signedOut = useSignedOut(host);
  if (signedOut) return <SignIn host={host} isNew={signedOut === 'new'} />;
  return (
    <>
      <Invitation host={host} isFirst={isFirst} refusal={refusal} />
      <AskName />
      <Agents host={host} />
    </>
  );
}

interface InvitationProps {
  readonly host: PageHost;
  readonly isFirst: boolean;
  /** Why no session can be started. */
  readonly refusal: string | undefined;
}

function Invitation({ host, isFirst, refusal }: InvitationProps) {
  const { state } = useObservable(host.connection);
  // Opened from what the browser keeps of the page: whether there are sessions is not known.
  if (isFirst && state === 'reconnecting') {
    return (
      <>
        <h1>Waiting for {host.name}</h1>
        <p className="lede">This page opened without its host. Your sessions are shown when it answers.</p>
      </>
    );
  }
  if (refusal !== undefined) {
    return (
      <>
        <h1>{isFirst ? 'There is no session yet' : 'Pick a session'}</h1>
        <p className="lede">{refusal}</p>
      </>
    );
  }
  return (
    <>
      <h1>{isFirst ? 'Start your first session' : 'Pick a session, or start one'}</h1>
      <p className="lede">
        Pick an agent and a folder, and say what you want done. Everything you see here, you can also follow and answer
        from your phone.
      </p>
      <div className="acts">
        <button type="button" className="btn primary tall" onClick={() => goTo({ view: 'new' })}>
          New session <kbd aria-hidden="true">N</kbd>
        </button>
      </div>
    </>
  );
}

function Agents({ host }: { readonly host: PageHost }) {
  const agents = useObservable(host.provider.status.agents);
  // Not known yet, or the host is away.
  if (agents.length === 0) return null;
  const usable = agents.filter(({ availability }) => availability.state === 'available');
  const others = agents.filter(({ availability }) => availability.state !== 'available');
  return (
    <div className="found">
      <div className="found-h">
        <span className="grow">Agents on {host.name}</span>
      </div>
      <ul>
        {usable.map((agent) => (
          <li key={agent.provider}>
            <AgentIcon icon={agent.icon} size={16} />
            <span className="grow">
              {agent.displayName}
              <br />
              <span className="aux">{agent.description}</span>
            </span>
            <LoginState agent={agent} />
            <LoginButton host={host} agent={agent} isOffered={needsLogin(agent.login) && canLogIn(agent.login)} />
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <OtherAgents key={String(agents.length > 0)} host={host} agents={others} isOpen={usable.length === 0} />
      )}
    </div>
  );
}
