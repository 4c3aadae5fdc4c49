import type { AgentInfo } from '@agenthost/protocol';
import { KeyRound, SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { CloseButton } from '../controls/CloseButton.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { Dialog } from '../overlays/Dialog.js';
import { KeyForm } from './KeyForm.js';
import { OwnLogin } from './OwnLogin.js';

export interface LoginDialogProps {
  readonly host: PageHost;
  readonly agent: AgentInfo;
  readonly startsWithKey?: boolean;
  readonly onClose: (isLoggedIn: boolean) => void;
}

/** Logs in to an agent: with its own program in a terminal, or with a key. */
export default function LoginDialog({ host, agent, startsWithKey = false, onClose }: LoginDialogProps) {
  const { login, displayName } = agent;
  const [withKey, setWithKey] = useState(startsWithKey || login?.command === undefined);
  const title = `Log in to ${displayName} on ${host.name}`;
  const cancel = () => onClose(false);
  const props = { host, agent, onCancel: cancel, onDone: () => onClose(true) };
  return (
    <Dialog label={title} className="login-dialog" onClose={cancel} focusSelf>
      <div className="login-h">
        <AgentIcon icon={agent.icon} size={18} />
        <h2 className="grow">{title}</h2>
        <CloseButton onClose={cancel} />
      </div>
      {login?.command !== undefined && login.key && (
        <div className="seg" role="group" aria-label="How to log in">
          <button type="button" aria-pressed={!withKey} onClick={() => setWithKey(false)}>
            <SquareTerminal size={14} aria-hidden />
            Its own log-in
          </button>
          <button type="button" aria-pressed={withKey} onClick={() => setWithKey(true)}>
            <KeyRound size={14} aria-hidden />
            Use a key
          </button>
        </div>
      )}
      {withKey ? <KeyForm {...props} /> : <OwnLogin {...props} />}
    </Dialog>
  );
}
