import { useEffect, useState } from 'react';
import { AgentsDialog } from '../agents/AgentsDialog.js';
import type { PageHost } from '../app/pagePlace.js';
import { useServices } from '../app/services.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { CloseButton } from '../controls/CloseButton.js';
import { connectionWords, mayBeRefused, RefusedNote } from '../list/HostRows.js';
import { Dialog } from './Dialog.js';
import { SignInDialog } from './SignInDialog.js';

/** A host's connection and the actions on it. */
export function HostDialog({ host, onClose }: { readonly host: PageHost; readonly onClose: () => void }) {
  const { hosts } = useServices();
  const connection = useObservable(host.connection);
  const now = useNow(true);
  const [latency, setLatency] = useState<number>();
  const [signingIn, setSigningIn] = useState(false);
  const [showsAgents, setShowsAgents] = useState(false);
  useEffect(() => {
    if (connection.state !== 'connected') return;
    host.provider.status.measureLatency().then(setLatency, () => undefined);
  }, [connection.state, host]);
  if (showsAgents) return <AgentsDialog host={host} onClose={onClose} />;
  if (signingIn) {
    return <SignInDialog host={host} onClose={onClose} />;
  }
  return (
    <Dialog label={host.name} className="ask-dialog" onClose={onClose} focusSelf>
      <div className="page-h">
        <h2 className="grow">{host.name}</h2>
        <CloseButton onClose={onClose} />
      </div>
      <p>
        {host.url}: {connectionWords(connection, now, false)}
        {latency !== undefined && connection.state === 'connected' && `, ${Math.round(latency)} ms`}
        {host.provider.status.serverInfo && `, version ${host.provider.status.serverInfo.version}`}
      </p>
      {mayBeRefused(host, connection) && <RefusedNote host={host} />}
      <div className="acts">
        {!host.isOwn && (
          <button
            type="button"
            className="btn quiet"
            onClick={() => {
              hosts.remove(host);
              onClose();
            }}
          >
            Remove from this page
          </button>
        )}
        <button type="button" className="btn plain" onClick={() => setShowsAgents(true)}>
          Agents…
        </button>
        <button type="button" className="btn plain" onClick={() => setSigningIn(true)}>
          Use another token
        </button>
        {connection.state === 'reconnecting' && (
          <button type="button" className="btn primary" onClick={() => host.provider.status.retryNow()}>
            Try now
          </button>
        )}
      </div>
    </Dialog>
  );
}
