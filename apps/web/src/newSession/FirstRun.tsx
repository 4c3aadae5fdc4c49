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
import { agentWords } from './HowToFix.js';

/** The view when no session is open. */
export function FirstRun({ isFirst }: { readonly isFirst: boolean }) {
  const { hosts } = useServices();
  const [host] = useObservable(hosts.all);
  const refusal = useObservable(hosts.whyNoNewSession);
  if (!host) return null;
  return <HostStart host={host} isFirst={isFirst} refusal={refusal} />;
}

interface HostStartProps {
  readonly host: PageHost;
  readonly isFirst: boolean;
  /** Why no session can be started. */
  readonly refusal: string | undefined;
}

function HostStart({ host, isFirst, refusal }: HostStartProps) {
  const signedOut = useSignedOut(host);
  if (signedOut) {
    return (
      <main className="main">
        <div className="first">
          <div className="first-in">
            <SignIn host={host} isNew={signedOut === 'new'} />
          </div>
        </div>
      </main>
    );
  }
  return (
    <main className="main">
      <Banner place={host} />
      <div className="first">
        <div className="first-in">
          <Invitation host={host} isFirst={isFirst} refusal={refusal} />
          <AskName />
          <Agents host={host} />
        </div>
      </div>
    </main>
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
              <span className="aux">{agentWords(agent)}</span>
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
