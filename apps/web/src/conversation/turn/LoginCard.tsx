import type { ErrorInfo, Turn } from '@agenthost/protocol';
import { KeyRound } from 'lucide-react';
import { LoginButton } from '../../agents/LoginButton.js';
import { canLogIn, needsLogin } from '../../agents/loginWords.js';
import type { PageHost } from '../../app/pagePlace.js';
import { permissionError } from '../../app/permissionError.js';
import { useObservable } from '../../app/useObservable.js';
import { useChat } from '../chatContext.js';

interface LoginCardProps {
  readonly host: PageHost;
  readonly turn: Turn;
  readonly error: ErrorInfo;
  /** What became of the turn. */
  readonly kept: string;
}

/** A turn that failed because its agent needs a log-in. The host sends its message again after that, unless it ran a tool before. */
export function LoginCard({ host, turn, error, kept }: LoginCardProps) {
  const { agentName, agentId, retry, awaitingLogin = '' } = useChat();
  const agents = useObservable(host.provider.status.agents);
  const refusal = permissionError(useObservable(host.role), 'beginLogin');
  const agent = agents.find(({ provider }) => provider === agentId);
  const isOpen = needsLogin(agent?.login);
  const isSentAgain = awaitingLogin.split(' ').includes(turn.id);
  const words = isOpen && isSentAgain ? 'Your message is kept, and it is sent after the log-in.' : kept;
  return (
    <div className="fault login" role="alert">
      <KeyRound size={18} aria-hidden />
      <div className="grow">
        <b title={error.message}>{agentName} needs a log-in.</b>
        <p>
          {words}
          {isOpen && refusal !== undefined && ' Ask the owner of the host to log in.'}
          {isOpen && agent && !canLogIn(agent.login) && ` ${error.message}`}
        </p>
        <div className="acts">
          {agent && (
            <LoginButton
              host={host}
              agent={agent}
              isOffered={isOpen && refusal === undefined && canLogIn(agent.login)}
            />
          )}
          {retry && !(isOpen && isSentAgain) && (
            <button type="button" className="btn plain sm" onClick={() => retry(turn.userMessage)}>
              Try again
            </button>
          )}
        </div>
      </div>
    </div>
  );
}
