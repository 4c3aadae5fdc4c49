import { ChevronDown } from 'lucide-react';
import { useCallback, useState } from 'react';
import type { Draft } from '../app/messageDrafts.js';
import type { PageHost } from '../app/pageHosts.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { useStable } from '../app/useStable.js';
import { Composer } from '../composer/Composer.js';
import { HostRoleNote } from '../composer/RoleNote.js';
import { BackButton } from '../controls/BackButton.js';
import { Banner } from '../conversation/Banner.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { Menu } from '../overlays/Menu.js';
import { FolderBrowser, FolderPath } from './FolderBrowser.js';
import { agentWords, HowToFix } from './HowToFix.js';

const DRAFT = 'new session';

/** Agent, model, folder, first message. */
export function NewSession() {
  const { hosts, management, drafts } = useServices();
  const all = useObservable(hosts.all);
  const [hostId, setHostId] = useState<string>();
  const host = all.find(({ id }) => id === hostId) ?? all[0];
  const draft = useObservable(useStable(() => drafts.of(DRAFT), [drafts]));
  const [agentId, setAgentId] = useState<string>();
  const [model, setModel] = useState<string>();
  const [folder, setFolder] = useState<string>();
  if (!host) return null;
  const start = async (provider: string, uri: string, text: string, attachments: Draft['attachments']) => {
    const workspace = management.resolveWorkspace(host.id, uri);
    let session = await management.createNewSession(host.id, workspace);
    session = await management.setSessionType(session, provider);
    if (model) await management.setModel(session, model);
    const sent = await management.sendAndCreateChat(session, {
      query: text,
      ...(attachments.length > 0 && { attachedContext: attachments }),
    });
    // Kept until then: a page that is reloaded meanwhile still has it.
    drafts.clear(DRAFT);
    goTo({ view: 'session', sessionId: sent.sessionId });
  };
  return (
    <main className="main">
      <Banner host={host} />
      <div className="page">
        <div className="col">
          <div className="page-h">
            <BackButton />
            <h1 className="grow">New session</h1>
            {all.length > 1 && (
              <div className="seg" role="group" aria-label="Host">
                {all.map((one) => (
                  <button
                    key={one.id}
                    type="button"
                    aria-pressed={one.id === host.id}
                    onClick={() => setHostId(one.id)}
                  >
                    <HostDot host={one} />
                    {one.name}
                  </button>
                ))}
              </div>
            )}
          </div>
          <HostRoleNote host={host} deed="createSession">
            <Form
              key={host.id}
              host={host}
              draft={draft}
              setDraft={(next) => drafts.set(DRAFT, next)}
              agentId={agentId}
              setAgentId={setAgentId}
              model={model}
              setModel={setModel}
              folder={folder}
              setFolder={setFolder}
              onStart={start}
            />
          </HostRoleNote>
        </div>
      </div>
    </main>
  );
}

function HostDot({ host }: { readonly host: PageHost }) {
  const { state } = useObservable(host.connection);
  return <i className={state === 'connected' ? 'dot' : 'dot wait'} />;
}

interface FormProps {
  readonly host: PageHost;
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
  readonly agentId: string | undefined;
  readonly setAgentId: (id: string) => void;
  readonly model: string | undefined;
  readonly setModel: (id: string | undefined) => void;
  readonly folder: string | undefined;
  readonly setFolder: (uri: string) => void;
  readonly onStart: (
    provider: string,
    folder: string,
    text: string,
    attachments: Draft['attachments'],
  ) => Promise<void>;
}

function Form({
  host,
  draft,
  setDraft,
  agentId,
  setAgentId,
  model,
  setModel,
  folder: chosen,
  setFolder,
  onStart,
}: FormProps) {
  const agents = useObservable(host.provider.status.agents);
  useObservable(host.connection);
  const { folders } = host.provider;
  const agent =
    agents.find(({ provider }) => provider === agentId) ??
    agents.find(({ availability }) => availability.state === 'available') ??
    agents[0];
  const folder = chosen ?? folders.recent()[0] ?? folders.home;
  const browse = useCallback((uri: string) => folders.list(uri), [folders]);
  const usable = agent?.availability.state === 'available';
  const send = async (message: { text: string; attachments?: Draft['attachments'] }) => {
    if (!agent || !usable)
      throw new Error(
        agent ? `${agent.displayName} can't be used yet: see above.` : 'The host has told of no agent yet.',
      );
    if (!folder) throw new Error('Choose a folder first.');
    await onStart(agent.provider, folder, message.text, message.attachments ?? []);
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
      <section className="sect">
        <h2 className="sect-h">
          Folder
          <span className="grow" />
          {folder && <FolderPath folder={folder} onFolder={setFolder} />}
        </h2>
        {folder && (
          <FolderBrowser
            folder={folder}
            recent={folders.recent().map((uri) => ({ uri, usedAt: undefined }))}
            browse={browse}
            onFolder={setFolder}
          />
        )}
      </section>
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
