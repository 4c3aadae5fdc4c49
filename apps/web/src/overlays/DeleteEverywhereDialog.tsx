import type { Session } from '@agenthost/sessions';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { AskDialog } from './AskDialog.js';

interface DeleteEverywhereDialogProps {
  readonly session: Session;
  /** The name of its agent. */
  readonly agent: string;
  readonly onClose: () => void;
}

/** Unlike a plain deletion it can't be undone for some seconds: the agent deletes its copy at once, or says why it can't. */
export function DeleteEverywhereDialog({ session, agent, onClose }: DeleteEverywhereDialogProps) {
  const { management } = useServices();
  return (
    <AskDialog
      title="Delete everywhere?"
      text={`“${session.title.value || 'New session'}” is deleted for good, also where ${agent} keeps it: no terminal can continue it. Files that it changed are kept.`}
      confirm="Delete"
      danger
      onConfirm={async () => {
        await management.deleteSession(session, { agentCopy: 'delete' });
        goTo({ view: 'start' }, { replace: true });
      }}
      onClose={onClose}
    />
  );
}
