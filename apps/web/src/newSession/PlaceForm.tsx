import type { SessionWorkspace, SessionWorkspaceBrowseAction } from '@agenthost/sessions';
import { useState } from 'react';
import type { Draft } from '../app/messageDrafts.js';
import type { PagePlace } from '../app/pagePlace.js';
import { useServices } from '../app/services.js';
import { useAttempt } from '../app/useAttempt.js';
import { useStable } from '../app/useStable.js';
import { Composer } from '../composer/Composer.js';
import { Problem } from '../controls/Problem.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import type { NewSessionFormProps } from './NewSession.js';

/** A new session of a place that is no host: its types, and the workspaces of its browse actions. */
export function PlaceForm({
  place,
  draft,
  setDraft,
  type,
  onStart,
}: NewSessionFormProps & { readonly place: PagePlace }) {
  const { management } = useServices();
  const { sessionTypes } = place.provider;
  const actions = useStable(
    () => management.getBrowseActions().filter(({ providerId }) => providerId === place.id),
    [management, place],
  );
  const [typeId, setTypeId] = useState(type);
  const [workspace, setWorkspace] = useState<SessionWorkspace>();
  const { problem, attempt } = useAttempt();
  const chosen = sessionTypes.find(({ id }) => id === typeId) ?? sessionTypes[0];
  const browse = (action: SessionWorkspaceBrowseAction) =>
    attempt(action.run().then((picked) => picked && setWorkspace(picked)));
  const send = async ({ text, attachments = [] }: { text: string; attachments?: Draft['attachments'] }) => {
    if (!chosen) throw new Error(`${place.name} offers no type of session to start.`);
    if (!workspace) throw new Error('Choose a workspace first.');
    await onStart({ type: chosen.id, workspace, text, attachments });
  };
  return (
    <>
      <section className="sect">
        <h2 className="sect-h">Kind</h2>
        <div className="agents" role="radiogroup" aria-label="Kind">
          {sessionTypes.map((one) => (
            <button
              key={one.id}
              type="button"
              className="agent"
              role="radio"
              aria-checked={one === chosen}
              onClick={() => setTypeId(one.id)}
            >
              <AgentIcon icon={one.icon} size={16} />
              <span className="nm">{one.label}</span>
              <span className="ds">{one.description ?? place.name}</span>
            </button>
          ))}
        </div>
      </section>
      <section className="sect">
        <h2 className="sect-h">
          Workspace
          <span className="grow" />
          {workspace && <b>{workspace.label}</b>}
        </h2>
        <div className="acts">
          {actions.map((action) => (
            <button key={action.label} type="button" className="btn plain" onClick={() => browse(action)}>
              {action.label}
            </button>
          ))}
          {actions.length === 0 && <p className="blank">{place.name} offers no workspace.</p>}
        </div>
        <Problem text={problem} />
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
          placeholder="What should be done?"
          autoFocus
        />
      </section>
    </>
  );
}
