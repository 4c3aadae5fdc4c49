import { ChevronDown, ShieldQuestionMark } from 'lucide-react';
import { useEffect, useState } from 'react';
import { LoginState } from '../agents/AgentsDialog.js';
import { LoginButton, LoginOverlay } from '../agents/LoginButton.js';
import { canLogIn, needsLogin } from '../agents/loginWords.js';
import type { Draft } from '../app/messageDrafts.js';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { Composer } from '../composer/Composer.js';
import { Menu } from '../overlays/Menu.js';
import { type SeveralStart, useSeveral } from '../several/useSeveral.js';
import { AgentCards } from './AgentCards.js';
import { FolderField } from './FolderField.js';
import type { NewSessionFormProps } from './NewSession.js';
import { useFirstSettings } from './useFirstSettings.js';
import { useWorkIn, WorkIn } from './WorkIn.js';

interface HostFormProps extends NewSessionFormProps {
  readonly host: PageHost;
  readonly onStartSeveral: (host: PageHost, choice: SeveralStart) => Promise<void>;
}

/** A new session of a host: one of its agents, in one of its folders. It begins with what was used last in that folder. */
export function HostForm({ host, draft, setDraft, type, onStart, onStartSeveral }: HostFormProps) {
  const { lastChoices } = useServices();
  const agents = useObservable(host.provider.status.agents);
  useObservable(host.connection);
  const [agentId, setAgentId] = useState(type);
  const [chosenModel, setModel] = useState<string>();
  const [chosenFolder, setFolder] = useState<string>();
  /** Set while a log-in is open that the start waits for. */
  const [loggingIn, setLoggingIn] = useState<(isLoggedIn: boolean) => void>();
  const mayLogIn = permissionError(useObservable(host.role), 'beginLogin') === undefined;
  const { folders } = host.provider;
  const folder = chosenFolder ?? folders.recent()[0] ?? lastChoices.last(host.url)?.folder ?? folders.home;
  const remembered = lastChoices.in(host.url, folder) ?? lastChoices.last(host.url)?.choice;
  const uses = (provider: string) => lastChoices.usesOf(host.url, provider);
  const usable = agents
    .filter(({ availability }) => availability.state === 'available')
    .toSorted((a, b) => uses(b.provider) - uses(a.provider));
  const others = agents.filter(({ availability }) => availability.state !== 'available');
  const byId = (id: string | undefined) => usable.find(({ provider }) => provider === id);
  const agent = byId(agentId) ?? byId(remembered?.agent) ?? usable[0];
  const known = agent?.provider === remembered?.agent ? remembered?.model : undefined;
  const model = agent?.models.find(({ id }) => id === (chosenModel ?? known));
  const requiresTrust = useRequiresTrust(host, folder, agent?.provider);
  const first = useFirstSettings(host, agent?.provider, { isUntrusted: requiresTrust });
  const several = useSeveral(usable, agent, model?.id);
  const workIn = useWorkIn(host, folder, {
    remembered: remembered?.worktree === true,
    message: draft.text,
    isForced: several.isOn,
  });
  const send = async (message: { text: string; attachments?: Draft['attachments'] }) => {
    if (!agent) throw new Error('No agent can be used yet: add one above.');
    if (!folder) throw new Error('Choose a folder first.');
    if (several.isOn) {
      if (!workIn.worktree)
        throw new Error('Each agent needs a worktree of its own: choose a folder in a git repository.');
      const { text, attachments = [] } = message;
      await onStartSeveral(host, { agents: several.agents, folder, worktree: workIn.worktree, text, attachments });
      return;
    }
    if (needsLogin(agent.login) && canLogIn(agent.login) && mayLogIn) {
      const isLoggedIn = await new Promise<boolean>((resolve) => setLoggingIn(() => resolve));
      if (!isLoggedIn) throw new Error(`${agent.displayName} needs a log-in first.`);
    }
    const { text, attachments = [] } = message;
    const workspace = host.provider.resolveWorkspace(folder);
    const { worktree } = workIn;
    const { chosen } = first;
    await onStart({ type: agent.provider, model: model?.id, workspace, worktree, ...chosen, text, attachments });
    lastChoices.remember(host.url, folder, {
      agent: agent.provider,
      ...(model && { model: model.id }),
      ...(worktree && { worktree: true }),
    });
  };
  return (
    <>
      <AgentCards
        host={host}
        usable={usable}
        others={others}
        chosen={agent}
        wanted={type}
        several={several}
        onAgent={(provider) => {
          setAgentId(provider);
          setModel(undefined);
        }}
      />
      {agent && !several.isOn && needsLogin(agent.login) && (
        <div className="fix">
          <LoginState agent={agent} />
          <span className="grow" />
          <LoginButton host={host} agent={agent} isOffered={canLogIn(agent.login)} />
        </div>
      )}
      {loggingIn && agent && (
        <LoginOverlay
          host={host}
          agent={agent}
          onClose={(isLoggedIn) => {
            setLoggingIn(undefined);
            loggingIn(isLoggedIn);
          }}
        />
      )}
      <FolderField folders={folders} folder={folder} onFolder={setFolder} />
      {requiresTrust && agent && (
        <p className="why">
          <ShieldQuestionMark size={14} aria-hidden /> {agent.displayName} will ask whether you trust this folder.
        </p>
      )}
      <WorkIn {...workIn} />
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
          sendLabel={several.isOn ? `Start ${several.agents.length} sessions` : 'Start session'}
          placeholder={agent?.runsInput ? 'Type a command, such as ls' : 'What should be done?'}
          autoFocus
        >
          {several.isOn && <span className="hint">Same message, one session for each agent</span>}
          {!several.isOn && agent && agent.models.length > 0 && (
            <Menu
              label={`Model: ${model?.name ?? 'Default model'}`}
              className="pick"
              items={agent.models.map(({ id, name }) => ({
                label: name,
                checked: id === model?.id,
                choose: () => setModel(id),
              }))}
            >
              {model?.name ?? 'Default model'}
              <ChevronDown className="chev" size={12} aria-hidden />
            </Menu>
          )}
          {!several.isOn && first.menus}
        </Composer>
      </section>
    </>
  );
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
