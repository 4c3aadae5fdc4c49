import type { AgentInfo } from '@agenthost/protocol';
import type { Session } from '@agenthost/sessions';
import { useState } from 'react';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useAttempt } from '../app/useAttempt.js';
import { CloseButton } from '../controls/CloseButton.js';
import { Problem } from '../controls/Problem.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { Dialog } from '../overlays/Dialog.js';

interface HandOverDialogProps {
  readonly session: Session;
  /** Its resource. */
  readonly chat: string;
  readonly agents: readonly AgentInfo[];
  readonly onClose: () => void;
}

/** Those that can take a conversation: the shell would run it. */
export function agentsForHandOver(agents: readonly AgentInfo[], current: string): readonly AgentInfo[] {
  return agents.filter(
    ({ provider, availability, runsInput }) =>
      provider !== current && availability.state === 'available' && runsInput !== true,
  );
}

/** Continues a conversation with another agent, in a session of its own. */
export function HandOverDialog({ session, chat, agents, onClose }: HandOverDialogProps) {
  const { management } = useServices();
  const { problem, attempt } = useAttempt();
  const [isBusy, setBusy] = useState(false);
  const choose = ({ provider }: AgentInfo) => {
    setBusy(true);
    const handed = management.forkChat(session, chat, undefined, provider).finally(() => setBusy(false));
    attempt(
      handed.then(({ sessionId }) => {
        onClose();
        goTo({ view: 'session', sessionId });
      }),
    );
  };
  return (
    <Dialog label="Hand over to another agent" className="agents-dialog" onClose={onClose} focusSelf>
      <div className="login-h">
        <h2 className="grow">Hand over to another agent</h2>
        <CloseButton onClose={onClose} />
      </div>
      <p className="why agents-why">
        A new session begins with these turns. The agent that you choose gets them as text with your next message: what
        was said here then goes to its vendor. This session stays as it is.
      </p>
      <Problem text={problem} />
      <ul className="agent-rows">
        {agents.map((agent) => (
          <li key={agent.provider}>
            <button type="button" className="btn plain hand-over" disabled={isBusy} onClick={() => choose(agent)}>
              <AgentIcon icon={agent.icon} />
              {agent.displayName}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
