import { type AgentInfo, MAX_SEVERAL } from '@agenthost/protocol';
import { Check, ChevronDown } from 'lucide-react';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { agentWords } from '../newSession/HowToFix.js';
import { Menu } from '../overlays/Menu.js';
import './several.css';

/** Which agents get the message, each with its model. */
export type ChosenAgents = ReadonlyMap<string, string | undefined>;

interface SeveralCardsProps {
  readonly usable: readonly AgentInfo[];
  readonly chosen: ChosenAgents;
  readonly onChosen: (chosen: ChosenAgents) => void;
}

/** The agents as checkboxes, each with its own model. */
export function SeveralCards({ usable, chosen, onChosen }: SeveralCardsProps) {
  const isFull = chosen.size >= MAX_SEVERAL;
  const change = (provider: string, isOn: boolean, model?: string) => {
    const next = new Map(chosen);
    next.delete(provider);
    if (isOn) next.set(provider, model);
    // In the order of the cards, whichever was chosen first.
    const order = usable.map((agent) => agent.provider);
    onChosen(new Map([...next].toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))));
  };
  return (
    <div className="agents four" role="group" aria-label="Agents">
      {usable.map((agent) => {
        const { provider, models } = agent;
        const isOn = chosen.has(provider);
        const model = models.find(({ id }) => id === chosen.get(provider));
        return (
          <div key={provider} className={isOn ? 'agent several on' : 'agent several'}>
            <button
              type="button"
              role="checkbox"
              aria-checked={isOn}
              className="several-check"
              disabled={!isOn && isFull}
              title={!isOn && isFull ? `${MAX_SEVERAL} agents at most` : undefined}
              onClick={() => change(provider, !isOn)}
            >
              <AgentIcon icon={agent.icon} size={16} />
              <span className="nm clip">{agent.displayName}</span>
              <span className="box" aria-hidden="true">
                {isOn && <Check size={11} />}
              </span>
            </button>
            {models.length > 0 ? (
              <Menu
                label={`Model of ${agent.displayName}: ${model?.name ?? 'Default model'}`}
                className="pick several-model"
                items={models.map(({ id, name }) => ({
                  label: name,
                  checked: id === model?.id,
                  choose: () => change(provider, true, id),
                }))}
              >
                <span className="clip">{model?.name ?? 'Default model'}</span>
                <ChevronDown className="chev" size={12} aria-hidden />
              </Menu>
            ) : (
              <span className="ds clip">{agentWords(agent)}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}
