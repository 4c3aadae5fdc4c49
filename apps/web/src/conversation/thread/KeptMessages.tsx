import type { UnsentMessage } from '@agenthost/sessions';
import { UserMessage } from '../turn/UserMessage.js';
import { Skeleton } from './Skeleton.js';

/** A conversation that isn't loaded yet: messages that were sent before the reload are shown. */
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
