import type { SessionWorkspace } from '@agenthost/sessions';
import { ChevronDown, ShieldQuestionMark } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Draft } from '../app/messageDrafts.js';
import type { PageHost } from '../app/pagePlace.js';
import { useObservable } from '../app/useObservable.js';
import { Composer } from '../composer/Composer.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { Menu } from '../overlays/Menu.js';
import { HostFolders } from './HostFolders.js';
import { agentDetails, agentWords, HowToFix } from './HowToFix.js';
import type { NewSessionFormProps } from './NewSession.js';

/** A new session of a host: one of its agents, in one of its folders. */
export function HostForm({ host, draft, setDraft, type, onStart }: NewSessionFormProps & { readonly host: PageHost }) {
  const agents = useObservable(host.provider.status.agents);
  useObservable(host.connection);
  const [agentId, setAgentId] = useState(type);
  const [model, setModel] = useState<string>();
  const [chosen, setChosen] = useState<SessionWorkspace>();
  const isUsable = ({ availability }: (typeof agents)[number]) => availability.state === 'available';
  const agent = agents.find(({ provider }) => provider === agentId) ?? agents.find(isUsable) ?? agents[0];
  const usable = agent !== undefined && isUsable(agent);
  const { folders } = host.provider;
  const folder = folderOf(chosen) ?? folders.recent()[0] ?? folders.home;
  const requiresTrust = useRequiresTrust(host, folder, agent?.provider);
  const send = async (message: { text: string; attachments?: Draft['attachments'] }) => {
    if (!agent || !usable)
      throw new Error(
        agent ? `${agent.displayName} can't be used yet: see above.` : 'The host has not reported an agent yet.',
      );
    if (!folder) throw new Error('Choose a folder first.');
    const workspace = chosen ?? host.provider.resolveWorkspace(folder);
    const { text, attachments = [] } = message;
    await onStart({ type: agent.provider, model, workspace, text, attachments });
  };
  return (
    <>
      <section className="sect">
        <h2 className="sect-h">Agent</h2>
        <div className="agents" role="radiogroup" aria-label="Agent">
          {agents.map((one) => (
            <button
              key={one.provider}
              type="button"
              className="agent"
              role="radio"
              aria-checked={one === agent}
              data-unavailable={one.availability.state !== 'available' || undefined}
              title={agentDetails(one)}
              onClick={() => {
                setAgentId(one.provider);
                setModel(undefined);
              }}
            >
              <AgentIcon icon={one.icon} size={16} />
              <span className="nm">{one.displayName}</span>
              <span className="ds">{agentWords(one)}</span>
            </button>
          ))}
        </div>
        {agent && !usable && <HowToFix host={host} agent={agent} />}
      </section>
      {folder !== undefined && <HostFolders host={host} folder={folder} onWorkspace={setChosen} />}
      {requiresTrust && agent && (
        <p className="why">
          <ShieldQuestionMark size={14} aria-hidden /> {agent.displayName} will ask whether you trust this folder.
        </p>
      )}
      <section className="sect">
        <h2 className="sect-h">First message</h2>
        <Composer
          draft={draft}
          onDraft={setDraft}
          onSend={send}
          onStop={() => undefined}
          onEditLast={() => undefined}
          running={false}
          canSteer={false}
          sendLabel="Start session"
          placeholder={agent?.runsInput ? 'Type a command, such as ls' : 'What should be done?'}
          autoFocus
        >
          {agent && agent.models.length > 0 && (
            <Menu
              label={`Model: ${agent.models.find(({ id }) => id === model)?.name ?? 'Default model'}`}
              className="pick"
              items={agent.models.map(({ id, name }) => ({
                label: name,
                checked: id === model,
                choose: () => setModel(id),
              }))}
            >
              {agent.models.find(({ id }) => id === model)?.name ?? 'Default model'}
              <ChevronDown className="chev" size={12} aria-hidden />
            </Menu>
          )}
        </Composer>
      </section>
    </>
  );
}

export function folderOf(workspace: SessionWorkspace | undefined): string | undefined {
  const [repository] = workspace?.repositories ?? [];
  return repository?.workingDirectory ?? repository?.uri;
}

/** As far as the host has reported it. */
function useRequiresTrust(host: PageHost, folder: string | undefined, agent: string | undefined): boolean {
  const [needed, setNeeded] = useState(false);
  useEffect(() => {
    setNeeded(false);
    if (folder === undefined || agent === undefined) return;
    const stopped = new AbortController();
    host.provider.folders.requiresTrust(folder, agent, stopped.signal).then(
      (value) => !stopped.signal.aborted && setNeeded(value),
      () => undefined,
    );
    return () => stopped.abort();
  }, [host, folder, agent]);
  return needed;
}
