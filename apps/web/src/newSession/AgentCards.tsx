import type { AgentInfo } from '@agenthost/protocol';
import { ChevronDown, ChevronRight, Plus } from 'lucide-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { needsLogin } from '../agents/loginWords.js';
import type { PageHost } from '../app/pagePlace.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { SeveralCards } from '../several/SeveralCards.js';
import type { SeveralChoice } from '../several/useSeveral.js';
import { agentDetails, agentWords, HowToFix } from './HowToFix.js';

interface AgentCardsProps {
  readonly host: PageHost;
  /** Those that can be used, in the order of the cards. */
  readonly usable: readonly AgentInfo[];
  readonly others: readonly AgentInfo[];
  readonly chosen: AgentInfo | undefined;
  /** The agent that was asked for; one that can't be used yet is shown with what to do. */
  readonly wanted: string | undefined;
  readonly onAgent: (provider: string) => void;
  readonly several: SeveralChoice;
}

/** The agents that can be used, as cards; the others are one line. */
export function AgentCards({ host, usable, others, chosen, wanted, onAgent, several }: AgentCardsProps) {
  const group = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined || usable.length === 0) return;
    event.preventDefault();
    const at = chosen ? usable.indexOf(chosen) : -1;
    const next = (at + by + usable.length) % usable.length;
    const provider = usable[next]?.provider;
    if (provider !== undefined) onAgent(provider);
    group.current?.querySelectorAll<HTMLElement>('[role=radio]')[next]?.focus();
  };
  return (
    <section className="sect">
      <h2 className="sect-h">
        {several.isOn ? 'Agents' : 'Agent'}
        <span className="grow" />
        {several.isOffered && (
          <label className="toggle several-switch">
            <input
              type="checkbox"
              checked={several.isOn}
              onChange={(event) => several.onSwitch(event.target.checked)}
            />
            Send to several
          </label>
        )}
      </h2>
      {several.isOn ? (
        <SeveralCards usable={usable} chosen={several.chosen} onChosen={several.onChosen} />
      ) : (
        <div className="agents four" role="radiogroup" aria-label="Agent" ref={group} onKeyDown={move}>
          {usable.map((agent, index) => (
            <button
              key={agent.provider}
              type="button"
              className="agent"
              role="radio"
              aria-checked={agent === chosen}
              tabIndex={agent === chosen || (index === 0 && (!chosen || !usable.includes(chosen))) ? 0 : -1}
              onClick={() => onAgent(agent.provider)}
            >
              <AgentIcon icon={agent.icon} size={16} />
              <span className="nm">{agent.displayName}</span>
              <span className={agent.login && needsLogin(agent.login) ? 'ds needs' : 'ds'}>{agentWords(agent)}</span>
            </button>
          ))}
        </div>
      )}
      {others.length > 0 && (
        <OtherAgents
          host={host}
          agents={others}
          isOpen={usable.length === 0 || others.some(({ provider }) => provider === wanted)}
        />
      )}
    </section>
  );
}

interface OtherAgentsProps {
  readonly host: PageHost;
  readonly agents: readonly AgentInfo[];
  /** From the start. */
  readonly isOpen: boolean;
}

/** "Add an agent": those that can't be used yet, and what to do about it. */
export function OtherAgents({ host, agents, isOpen }: OtherAgentsProps) {
  const [open, setOpen] = useState(isOpen);
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <div className="add-agents">
      <button type="button" className="add-line" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Plus size={15} aria-hidden />
        <span>Add an agent</span>
        <span className="aux clip">{names(agents)}</span>
        <span className="grow" />
        <Chevron size={15} aria-hidden />
      </button>
      {open && (
        <ul>
          {agents.map((agent) => (
            <li key={agent.provider} title={agentDetails(agent)}>
              <AgentIcon icon={agent.icon} size={16} />
              <span className="grow">
                {agent.displayName}
                <HowToFix host={host} agent={agent} withReason />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** "Gemini, Goose and 9 more". */
function names(agents: readonly AgentInfo[]): string {
  const first = agents.slice(0, 3).map(({ displayName }) => displayName);
  const more = agents.length - first.length;
  return more > 0 ? `${first.join(', ')} and ${more} more` : first.join(', ');
}
