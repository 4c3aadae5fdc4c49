import type { Session } from '@agenthost/sessions';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { AskDialog } from './AskDialog.js';

export function NewChatDialog({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const { management } = useServices();
  const send = async (query: string) => {
    const sent = await management.sendAndCreateChat(session, { query });
    const chat = sent.chats.value.at(-1)?.resource;
    goTo({ view: 'session', sessionId: sent.sessionId, ...(chat && { chat }) });
  };
  return (
    <AskDialog
      title="New chat in this session"
      text="It works in the same folder as the other chats."
      confirm="Start"
      value=""
      valueLabel="First message"
      onConfirm={send}
      onClose={onClose}
    />
  );
}
