import type { AgentInfo } from '@agenthost/protocol';
import { Check, CircleQuestionMark, Ellipsis } from 'lucide-react';
import { useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { problemText } from '../app/problemText.js';
import { useObservable } from '../app/useObservable.js';
import { CloseButton } from '../controls/CloseButton.js';
import { Problem } from '../controls/Problem.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { HowToFix } from '../newSession/HowToFix.js';
import { Dialog } from '../overlays/Dialog.js';
import { Menu } from '../overlays/Menu.js';
import { LoginButton, LoginOverlay } from './LoginButton.js';
import { agentFacts, canLogIn, loginStateWords, needsLogin } from './loginWords.js';

/** The agents of a host: versions, log-ins, models, updates. */
export function AgentsDialog({ host, onClose }: { readonly host: PageHost; readonly onClose: () => void }) {
  const agents = useObservable(host.provider.status.agents);
  return (
    <Dialog label={`Agents on ${host.name}`} className="agents-dialog" onClose={onClose} focusSelf>
      <div className="login-h">
        <h2 className="grow">Agents on {host.name}</h2>
        <CloseButton onClose={onClose} />
      </div>
      <p className="why agents-why">They keep their own log-ins and settings.</p>
      <ul className="agent-rows">
        {agents.map((agent) => (
          <li key={agent.provider}>
            <AgentRow host={host} agent={agent} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function AgentRow({ host, agent }: { readonly host: PageHost; readonly agent: AgentInfo }) {
  const { status } = host.provider;
  const refusal = permissionError(useObservable(host.role), 'logOutAgent');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isKeyOpen, setKeyOpen] = useState(false);
  const { availability, login, models, provider } = agent;
  const isHere = availability.state === 'available';
  const newer = isHere ? availability.newerVersion : undefined;
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    await work().catch((error: unknown) => setProblem(problemText(error)));
    setBusy(false);
  };
  const mayChange = refusal === undefined && isHere;
  const items = [
    ...(mayChange && login
      ? [{ label: 'Check the log-in', choose: () => void run(() => status.logins.check(provider)) }]
      : []),
    ...(mayChange && login?.key ? [{ label: 'Use a key…', choose: () => setKeyOpen(true) }] : []),
    ...(mayChange && login?.canLogOut
      ? [{ label: 'Log out', choose: () => void run(() => status.logins.logOut(provider)) }]
      : []),
    ...(mayChange && newer
      ? [{ label: `Update to ${newer}`, choose: () => void run(() => status.updateAgent(provider)) }]
      : []),
  ];
  return (
    <>
      <AgentIcon icon={agent.icon} size={18} />
      <div className="grow agent-words">
        <b>{agent.displayName}</b>
        {isHere ? <small>{agentFacts(agent)}</small> : <HowToFix host={host} agent={agent} withReason />}
        {newer !== undefined && <small>Version {newer} is available.</small>}
        {isHere && models.length > 0 && (
          <details>
            <summary>
              {models.length} {models.length === 1 ? 'model' : 'models'}
            </summary>
            <small>{models.map(({ name }) => name).join(', ')}</small>
          </details>
        )}
        <Problem text={problem} />
      </div>
      {isHere && <LoginState agent={agent} isBusy={isBusy} />}
      <LoginButton
        host={host}
        agent={agent}
        isOffered={isHere && login?.state !== 'ready' && canLogIn(login)}
        className={needsLogin(login) ? 'btn primary sm' : 'btn plain sm'}
      />
      {items.length > 0 && (
        <Menu label={`More for ${agent.displayName}`} className="ib" items={items}>
          <Ellipsis size={16} aria-hidden />
        </Menu>
      )}
      {isKeyOpen && <LoginOverlay host={host} agent={agent} startsWithKey onClose={() => setKeyOpen(false)} />}
    </>
  );
}

/** The same words and colours wherever an agent is shown. */
export function LoginState({ agent, isBusy = false }: { readonly agent: AgentInfo; readonly isBusy?: boolean }) {
  const { login } = agent;
  if (isBusy) return <span className="login-state">Checking</span>;
  if (login && login.state !== 'ready') {
    return (
      <span className={needsLogin(login) ? 'login-state needs' : 'login-state'} role="status">
        {needsLogin(login) && <CircleQuestionMark size={14} aria-hidden />}
        {loginStateWords(login)}
      </span>
    );
  }
  return (
    <span className="login-state ok">
      <Check size={14} aria-hidden />
      Ready
    </span>
  );
}
