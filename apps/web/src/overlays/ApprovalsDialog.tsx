import type { Role, StandingApproval } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { permissionError } from '../app/permissionError.js';
import { useAttempt } from '../app/useAttempt.js';
import { InlineText } from '../conversation/InlineText.js';
import { SidePanel } from './SidePanel.js';

interface ApprovalsDialogProps {
  readonly approvals: readonly StandingApproval[];
  readonly agentName: string;
  readonly model: ChatModel;
  readonly role: Role;
  readonly onClose: () => void;
}

/** What the agent does without asking, after somebody answered "always"; what the host keeps of it can be revoked. */
export function ApprovalsDialog({ approvals, agentName, model, role, onClose }: ApprovalsDialogProps) {
  const { problem, attempt } = useAttempt();
  const refusal = permissionError(role, 'session/approvalRevoked');
  const isKeptByAgent = approvals.some(({ isRevocable }) => !isRevocable);
  return (
    <SidePanel title="Always allowed" problem={problem} onClose={onClose}>
      <p className="why">
        {approvals.length === 0
          ? `Nothing. ${agentName} asks each time.`
          : `${agentName} does this without asking, until its process ends.`}
      </p>
      {approvals.map(({ id, covers, isRevocable }) => (
        <div className="approval" key={id}>
          <span className="grow">
            <InlineText text={covers} />
          </span>
          {isRevocable ? (
            <button
              type="button"
              className="btn plain sm"
              disabled={refusal !== undefined}
              title={refusal}
              onClick={() => attempt(model.revokeApproval(id))}
            >
              Revoke
            </button>
          ) : (
            <span className="why">kept by {agentName}</span>
          )}
        </div>
      ))}
      {isKeptByAgent && (
        <p className="why">
          What {agentName} keeps itself can't be revoked here: its protocol has no request for that. It is forgotten at
          the latest when {agentName} ends, unless {agentName} wrote it to its own settings.
        </p>
      )}
    </SidePanel>
  );
}
