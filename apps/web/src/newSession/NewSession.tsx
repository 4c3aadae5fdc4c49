import type { NewWorktree, SessionWorkspace } from '@agenthost/sessions';
import { useState } from 'react';
import type { Draft } from '../app/messageDrafts.js';
import { asHost, type PageHost } from '../app/pagePlace.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { useStable } from '../app/useStable.js';
import { PlaceRoleNote } from '../composer/RoleNote.js';
import { BackButton } from '../controls/BackButton.js';
import { Banner } from '../conversation/Banner.js';
import { beginSeveral, type SeveralStart } from '../several/useSeveral.js';
import { HostForm } from './HostForm.js';
import { PlaceForm } from './PlaceForm.js';

const DRAFT = 'new session';

/** The values of a form when its message is sent. */
export interface NewSessionChoice {
  readonly type: string;
  readonly model?: string | undefined;
  readonly workspace: SessionWorkspace;
  readonly worktree?: NewWorktree | undefined;
  /** What the agent begins with, as far as the user has chosen it. */
  readonly mode?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly text: string;
  readonly attachments: Draft['attachments'];
}

export interface NewSessionFormProps {
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
  /** The initially chosen type. */
  readonly type: string | undefined;
  readonly onStart: (choice: NewSessionChoice) => Promise<void>;
}

/** Agent, model, folder, first message. It starts with the agent and the host of the last open session. */
export function NewSession({ agent }: { readonly agent?: string | undefined }) {
  const { places, management, drafts } = useServices();
  const { activeSessionProviderId, activeSessionType } = management.contextKeys;
  const all = useObservable(places.all);
  const draft = useObservable(useStable(() => drafts.of(DRAFT), [drafts]));
  const [activePlaceId] = useState(() => activeSessionProviderId.value);
  const [placeId, setPlaceId] = useState(activePlaceId);
  const [activeType] = useState(() => activeSessionType.value || undefined);
  const place = all.find(({ id }) => id === placeId) ?? all[0];
  if (!place) return null;
  const start = async (choice: NewSessionChoice) => {
    const { type: wanted, model, workspace, worktree, mode, settings, text, attachments } = choice;
    let session = await management.createNewSession(place.id, workspace);
    session = await management.setSessionType(session, wanted);
    if (model) await management.setModel(session, model);
    const sent = await management.sendAndCreateChat(session, {
      query: text,
      ...(attachments.length > 0 && { attachedContext: attachments }),
      ...(worktree && { worktree }),
      ...(mode !== undefined && { mode }),
      ...(settings && { settings }),
    });
    // Kept until then: a reloaded page still has it.
    drafts.clear(DRAFT);
    goTo({ view: 'session', sessionId: sent.sessionId });
  };
  const startSeveral = async (at: PageHost, choice: SeveralStart) => {
    const sessionId = await beginSeveral(at, choice);
    drafts.clear(DRAFT);
    goTo({ view: 'session', sessionId, compare: true });
  };
  const host = asHost(place);
  // The agent of a session says nothing about the agents of another host.
  const type = agent ?? (place.id === activePlaceId ? activeType : undefined);
  const form = { draft, setDraft: (next: Draft) => drafts.set(DRAFT, next), type, onStart: start };
  return (
    <main className="main">
      <Banner place={place} />
      <div className="page">
        <div className="col">
          <div className="page-h">
            <BackButton />
            <h1 className="grow">New session</h1>
            {all.length > 1 && (
              <div className="seg" role="group" aria-label="Host">
                {all.map((one) => {
                  const its = asHost(one);
                  return (
                    <button
                      key={one.id}
                      type="button"
                      aria-pressed={one.id === place.id}
                      onClick={() => setPlaceId(one.id)}
                    >
                      {its && <HostDot host={its} />}
                      {one.name}
                    </button>
                  );
                })}
              </div>
            )}
          </div>
          <PlaceRoleNote place={place} operation="createSession">
            {host ? (
              <HostForm key={place.id} host={host} onStartSeveral={startSeveral} {...form} />
            ) : (
              <PlaceForm key={place.id} place={place} {...form} />
            )}
          </PlaceRoleNote>
        </div>
      </div>
    </main>
  );
}

function HostDot({ host }: { readonly host: PageHost }) {
  const { state } = useObservable(host.connection);
  return <i className={state === 'connected' ? 'dot' : 'dot wait'} />;
}
