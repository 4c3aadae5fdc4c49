import type { Session } from '@agenthost/sessions';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { AskDialog } from './AskDialog.js';

interface DeleteChatDialogProps {
  readonly session: Session;
  /** Its resource. */
  readonly chat: string;
  readonly onClose: () => void;
}

export function DeleteChatDialog({ session, chat, onClose }: DeleteChatDialogProps) {
  const { management } = useServices();
  const title = session.chats.value.find(({ resource }) => resource === chat)?.title.value;
  return (
    <AskDialog
      title="Delete this chat?"
      text={`“${title || 'Chat'}” is deleted for everyone. The other chats of this session and files that it changed are kept.`}
      confirm="Delete"
      danger
      onConfirm={async () => {
        await management.deleteChat(session, chat);
        goTo({ view: 'session', sessionId: session.sessionId }, { replace: true });
      }}
      onClose={onClose}
    />
  );
}
