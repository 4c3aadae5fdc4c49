import type { ConnectionState } from '@agenthost/client';
import { Plus, Unplug } from 'lucide-react';
import type { PageHost } from '../app/pagePlace.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { CopyButton } from '../controls/CopyButton.js';

interface HostRowsProps {
  readonly hosts: readonly PageHost[];
  readonly onAdd: () => void;
  readonly onHost: (host: PageHost) => void;
}

export function HostRows({ hosts, onAdd, onHost }: HostRowsProps) {
  return (
    <div className="side-foot">
      <div className="foot-label">
        Hosts
        <span className="grow" />
        <button type="button" className="ib sm" aria-label="Add a host" title="Add a host" onClick={onAdd}>
          <Plus size={14} aria-hidden />
        </button>
      </div>
      <div className="hosts">
        {hosts.map((host) => (
          <HostRow key={host.id} host={host} onHost={onHost} />
        ))}
      </div>
    </div>
  );
}

function HostRow({ host, onHost }: { readonly host: PageHost; readonly onHost: (host: PageHost) => void }) {
  const connection = useObservable(host.connection);
  const now = useNow(connection.state === 'reconnecting', 500);
  const waits = connection.state !== 'connected';
  const isNoted = mayBeRefused(host, connection);
  return (
    <>
      <button type="button" className="host-row" onClick={() => onHost(host)} title={host.url}>
        {connection.state === 'closed' ? (
          <Unplug size={13} aria-hidden />
        ) : (
          <i className={waits ? 'dot wait' : 'dot'} />
        )}
        <b className="clip">{host.name}</b>
        <span className="grow" />
        <span className={waits ? 'meta wait num' : 'meta'}>{connectionWords(connection, now, host.isOwn)}</span>
      </button>
      {isNoted && <RefusedNote host={host} />}
    </>
  );
}

/** The host has said so, to somebody with its token. */
function isRefused(connection: ConnectionState): boolean {
  return connection.state === 'closed' && connection.reason.name === 'OriginRefusedError';
}

/**
 * A browser does not tell a page why a socket was refused. A host that has never answered this page is not running, is older, or does
 * not know the token.
 */
export function mayBeRefused(host: PageHost, connection: ConnectionState): boolean {
  if (isRefused(connection)) return true;
  const isTried = connection.state === 'reconnecting' && connection.attempt >= 2;
  return !host.isOwn && isTried && host.provider.status.serverInfo === undefined;
}

/** What to do about it. */
export function RefusedNote({ host }: { readonly host: PageHost }) {
  const connection = useObservable(host.connection);
  const flag = `--allow-origin ${location.origin}`;
  return (
    <p className="why refused" role="status">
      <span className="grow">
        {isRefused(connection)
          ? `${host.name} does not allow this page: start it with `
          : `${host.name} has never answered this page. If it runs, it probably does not allow this page: start it with `}
        <code>{flag}</code>
      </span>
      <CopyButton text={flag} label="Copy the flag" />
    </p>
  );
}

/** "this machine", "reconnecting in 3 s", "signed out": a stalled connection is always visible. */
export function connectionWords(connection: ConnectionState, now: number, isOwn: boolean): string {
  if (connection.state === 'connected') return isOwn ? 'this machine' : 'live';
  if (connection.state === 'connecting') return 'connecting';
  if (connection.state === 'closed') return connection.reason.name === 'UnauthorizedError' ? 'signed out' : 'closed';
  const seconds = Math.max(0, Math.ceil((connection.at - now) / 1000));
  return seconds === 0 ? 'reconnecting now' : `reconnecting in ${seconds} s`;
}
