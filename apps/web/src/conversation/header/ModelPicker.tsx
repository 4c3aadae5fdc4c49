import type { AgentInfo, SessionState } from '@agenthost/protocol';
import type { Session } from '@agenthost/sessions';
import { ChevronDown } from 'lucide-react';
import type { PageHost } from '../../app/pagePlace.js';
import { goTo } from '../../app/route.js';
import { useServices } from '../../app/services.js';
import { useObservable } from '../../app/useObservable.js';
import { AgentIcon } from '../../glyphs/agentIcon.js';
import { Menu } from '../../overlays/Menu.js';
import { modelOf } from './ContextRing.js';

interface ModelPickerProps {
  readonly host: PageHost;
  readonly session: Session;
  readonly state: SessionState | undefined;
  readonly onModel: (id: string) => void;
}

/** A session's agent is fixed: picking another one starts a new session. Its model can be changed for the next turn. */
export function ModelPicker({ host, session, state, onModel }: ModelPickerProps) {
  const { contextKeys } = useServices().management;
  const agents = useObservable(host.provider.status.agents);
  const active = useObservable(contextKeys.activeSessionType);
  const agent = agents.find(({ provider }) => provider === active);
  // How to add another agent is told in the form for a new session.
  const isOffered = ({ provider, availability }: AgentInfo) =>
    provider === active || availability.state === 'available';
  const model = state?.summary.model;
  const shown = modelOf(agent?.models ?? [], model)?.name ?? model;
  return (
    <>
      <Menu
        label={`Agent: ${agent?.displayName ?? session.sessionType}`}
        className="pick"
        items={agents.filter(isOffered).map(({ provider, displayName }) => ({
          label: provider === active ? displayName : `New session with ${displayName}`,
          checked: provider === active,
          choose: () => provider !== active && goTo({ view: 'new', agent: provider }),
        }))}
      >
        <AgentIcon icon={session.icon} size={14} />
        <span className="wide">{agent?.displayName ?? session.sessionType}</span>
        <ChevronDown className="chev" size={12} aria-hidden />
      </Menu>
      {agent && agent.models.length > 0 && (
        <Menu
          label={`Model: ${shown ?? 'Default model'}`}
          className="pick"
          items={agent.models.map(({ id, name }) => ({
            label: name,
            checked: id === model,
            choose: () => onModel(id),
          }))}
        >
          {shown ?? 'Default model'}
          <ChevronDown className="chev" size={12} aria-hidden />
        </Menu>
      )}
    </>
  );
}
