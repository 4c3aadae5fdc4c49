import type { UnsentMessage } from '@agenthost/sessions';
import { UserMessage } from '../turn/UserMessage.js';
import { Skeleton } from './Skeleton.js';

/** A conversation that is not here yet: what was sent before the page was reloaded is, and must be seen to be. */
export function KeptMessages({ messages }: { readonly messages: readonly UnsentMessage[] }) {
  if (messages.length === 0) return <Skeleton />;
  return (
    <div className="thread" role="log" aria-label="Conversation">
      <div className="col">
        {messages.map(({ id, message }) => (
          <UserMessage key={id} message={message} kept />
        ))}
      </div>
    </div>
  );
}
