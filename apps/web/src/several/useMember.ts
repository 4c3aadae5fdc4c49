import type { ChangesState, SessionState, URI } from '@agenthost/protocol';
import { type ChatModel, type ChatPhase, constant, type Session } from '@agenthost/sessions';
import { useEffect, useReducer, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { useServices } from '../app/services.js';
import { useFrameObservable } from '../app/useFrameObservable.js';
import { useObservable } from '../app/useObservable.js';

export interface Member {
  readonly uri: URI;
  /** As the list has it; absent while it is not there. */
  readonly session: Session | undefined;
  readonly model: ChatModel | undefined;
  readonly state: SessionState | undefined;
  readonly phase: ChatPhase['state'] | undefined;
  readonly changes: ChangesState | undefined;
}

const NO_PHASE = constant<ChatPhase>({ state: 'opening' });
const NO_STATE = constant<SessionState | undefined>(undefined);
const NO_CHANGES = constant<ChangesState | undefined>(undefined);

/** One of several sessions, and its changes, as long as it is shown. */
export function useMember(host: PageHost, uri: URI): Member {
  const session = useListed(host, uri);
  const [model, setModel] = useState<ChatModel>();
  const [changes, setChanges] = useState<ReturnType<PageHost['provider']['status']['work']['watchChanges']>>();
  const isListed = session !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one that is made again is opened again
  useEffect(() => {
    const opened = host.provider.openChat(`${host.id}:${uri}`);
    const watched = host.provider.status.work.watchChanges(uri);
    setModel(opened);
    setChanges(watched);
    return () => {
      opened.dispose();
      watched.dispose();
    };
  }, [host, uri, isListed]);
  const state = useFrameObservable(model?.state ?? NO_STATE);
  const phase = useObservable(model?.phase ?? NO_PHASE);
  return {
    uri,
    session,
    model,
    state,
    phase: model && phase.state,
    changes: useFrameObservable(changes?.state ?? NO_CHANGES),
  };
}

/** The session in the list; it is asked for by name, as it may be older than what was listed. */
function useListed(host: PageHost, uri: URI): Session | undefined {
  const { management } = useServices();
  const [, changed] = useReducer((count: number) => count + 1, 0);
  const id = `${host.id}:${uri}`;
  useEffect(() => {
    const following = management.onDidChangeSessions(({ added, removed }) => {
      if ([...added, ...removed].some(({ sessionId }) => sessionId === id)) changed();
    });
    management.findSession(id).then(changed, () => {});
    return () => following.dispose();
  }, [management, id]);
  return management.getSessionById(id);
}
