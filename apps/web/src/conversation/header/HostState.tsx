import type { PageHost } from '../../app/pagePlace.js';
import { useNow } from '../../app/useNow.js';
import { useObservable } from '../../app/useObservable.js';
import { connectionWords } from '../../list/HostRows.js';

/** The host's name, and the state of its connection. */
export function HostState({ host }: { readonly host: PageHost }) {
  const connection = useObservable(host.connection);
  const now = useNow(connection.state === 'reconnecting', 500);
  return (
    <span className="stat wide">
      <i className={connection.state === 'connected' ? 'dot' : 'dot wait'} />
      {host.name}, {connectionWords(connection, now, false)}
    </span>
  );
}
