import { Check } from 'lucide-react';
import type { PageHost } from '../app/pagePlace.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { Banner } from '../conversation/Banner.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { agentWords, HowToFix } from './HowToFix.js';

/** The view when no session is open. */
export function FirstRun({ isFirst }: { readonly isFirst: boolean }) {
  const { hosts } = useServices();
  const [host] = useObservable(hosts.all);
  const refusal = useObservable(hosts.whyNoNewSession);
  if (!host) return null;
  return (
    <main className="main">
      <Banner place={host} />
      <div className="first">
        <div className="first-in">
          {refusal === undefined ? (
            <>
              <h1>{isFirst ? 'Start your first session' : 'Pick a session, or start one'}</h1>
              <p className="lede">
                Pick an agent and a folder, and say what you want done. Everything you see here, you can also follow and
                answer from your phone.
              </p>
              <div className="acts">
                <button type="button" className="btn primary tall" onClick={() => goTo({ view: 'new' })}>
                  New session <kbd aria-hidden="true">N</kbd>
                </button>
              </div>
            </>
          ) : (
            <>
              <h1>{isFirst ? 'There is no session yet' : 'Pick a session'}</h1>
              <p className="lede">{refusal}</p>
            </>
          )}
          <Agents host={host} />
        </div>
      </div>
    </main>
  );
}

function Agents({ host }: { readonly host: PageHost }) {
  const agents = useObservable(host.provider.status.agents);
  return (
    <div className="found">
      <div className="found-h">
        <span className="grow">Agents on {host.name}</span>
      </div>
      <ul>
        {agents.map((agent) => (
          <li key={agent.provider}>
            <AgentIcon icon={agent.icon} size={16} />
            <span className="grow">
              {agent.displayName}
              <br />
              {agent.availability.state === 'available' ? (
                <span className="aux">{agentWords(agent)}</span>
              ) : (
                <HowToFix host={host} agent={agent} withReason />
              )}
            </span>
            {agent.availability.state === 'available' && (
              <span className="ok">
                <Check size={14} aria-hidden />
                Ready
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
