import { type ErrorInfo, LOGIN_REQUIRED, type Turn } from '@agenthost/protocol';
import { CircleAlert } from 'lucide-react';
import { sentence } from '../../app/problemText.js';
import { useChat } from '../chatContext.js';
import { LoginCard } from './LoginCard.js';

/** A failed turn: what happened, what was kept, what to do. */
export function ErrorCard({ turn, error }: { readonly turn: Turn; readonly error: ErrorInfo }) {
  const { agentName, retry, host } = useChat();
  const calls = turn.toolCalls.length;
  const steps = turn.earlierParts === undefined ? undefined : turn.earlierParts + turn.responseParts.length;
  const after =
    steps === undefined ? `${calls} tool ${calls === 1 ? 'call' : 'calls'}` : `${steps.toLocaleString()} steps`;
  const kept = calls === 0 ? 'Your message is kept.' : `The turn ended after ${after}. What it changed is kept.`;
  if (error.errorType === LOGIN_REQUIRED && host)
    return <LoginCard host={host} turn={turn} error={error} kept={kept} />;
  return (
    <div className="fault" role="alert">
      <CircleAlert size={18} aria-hidden />
      <div className="grow">
        <b>{sentence(`${agentName} stopped: ${error.message}`)}</b>
        <p>{kept}</p>
        {retry && (
          <div className="acts">
            <button type="button" className="btn plain sm" onClick={() => retry(turn.userMessage)}>
              Try again
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
