import type { AgentInfo } from '@agenthost/protocol';
import { lazy, Suspense, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { useObservable } from '../app/useObservable.js';

// The terminal of the dialog is large, and most visits log in to nothing.
const LazyLoginDialog = lazy(() => import('./LoginDialog.js'));

interface LoginProps {
  readonly host: PageHost;
  readonly agent: AgentInfo;
}

interface LoginButtonProps extends LoginProps {
  readonly className?: string;
  /** Without it there is no button. A dialog that is open stays, although the agent's state has changed. */
  readonly isOffered: boolean;
}

/** Opens the log-in of an agent. Only owners may. */
export function LoginButton({ host, agent, isOffered, className = 'btn primary sm' }: LoginButtonProps) {
  const refusal = permissionError(useObservable(host.role), 'beginLogin');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      {isOffered && (
        <button
          type="button"
          className={className}
          disabled={refusal !== undefined}
          title={refusal}
          aria-label={`Log in to ${agent.displayName}`}
          onClick={() => setOpen(true)}
        >
          Log in…
        </button>
      )}
      {isOpen && <LoginOverlay host={host} agent={agent} onClose={() => setOpen(false)} />}
    </>
  );
}

export function LoginOverlay(
  props: LoginProps & { readonly onClose: (isLoggedIn: boolean) => void; readonly startsWithKey?: boolean },
) {
  return (
    <Suspense fallback={null}>
      <LazyLoginDialog {...props} />
    </Suspense>
  );
}
