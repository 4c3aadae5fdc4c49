import type { Role, SessionState } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { X } from 'lucide-react';
import { useState } from 'react';
import { problemText } from '../app/problemText.js';
import { whyNot } from '../app/whyNot.js';
import { Dialog } from './Dialog.js';

interface CustomizationsDialogProps {
  readonly state: SessionState | undefined;
  readonly model: ChatModel;
  readonly role: Role;
  readonly onClose: () => void;
}

const KINDS = {
  instructions: 'Instructions',
  skill: 'Skill',
  agent: 'Agent',
  mcpServer: 'MCP server',
  plugin: 'Plugin',
} as const;

/** Instructions, skills and servers that reach the agent of this session, each on or off. */
export function CustomizationsDialog({ state, model, role, onClose }: CustomizationsDialogProps) {
  const [problem, setProblem] = useState<string>();
  const all = state?.customizations ?? [];
  const refusal = whyNot(role, 'session/customizationToggled');
  const toggle = (uri: string, enabled: boolean) => {
    model.toggleCustomization(uri, enabled).then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(problemText(error)),
    );
  };
  return (
    <Dialog label="Customizations" className="tray" onClose={onClose} focusSelf>
      <div className="tray-h">
        <h2>Customizations</h2>
        <span className="grow" />
        <button type="button" className="ib" aria-label="Close" onClick={onClose}>
          <X size={16} aria-hidden />
        </button>
      </div>
      <div className="tray-b padded">
        {problem && (
          <p className="why bad" role="alert">
            {problem}
          </p>
        )}
        {all.length === 0 && (
          <p className="blank">
            This session has none: no instructions, skills, agents or MCP servers were found in its folder.
          </p>
        )}
        {all.map(({ customization, enabled, status, statusMessage }) => (
          <label className="line toggle" key={customization.uri} title={refusal}>
            <span className="grow">
              {customization.displayName}
              <span className="aux"> {KINDS[customization.kind]}</span>
              {customization.description && <span className="thought">{customization.description}</span>}
              {(status === 'error' || status === 'degraded') && (
                <span className="why bad">{statusMessage ?? 'It could not be loaded.'}</span>
              )}
            </span>
            <input
              type="checkbox"
              checked={enabled}
              disabled={refusal !== undefined}
              onChange={(event) => toggle(customization.uri, event.target.checked)}
            />
          </label>
        ))}
      </div>
    </Dialog>
  );
}
