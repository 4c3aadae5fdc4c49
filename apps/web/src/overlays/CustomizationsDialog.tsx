import type { Author, Role, SessionState } from '@agenthost/protocol';
import type { ChatModel } from '@agenthost/sessions';
import { permissionError } from '../app/permissionError.js';
import { useAttempt } from '../app/useAttempt.js';
import { SidePanel } from './SidePanel.js';

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

/** Instructions, skills and servers of this session's agent, each on or off; and the tools that clients offer to it. */
export function CustomizationsDialog({ state, model, role, onClose }: CustomizationsDialogProps) {
  const { problem, attempt } = useAttempt();
  const all = state?.customizations ?? [];
  const tools = state?.clientTools ?? [];
  const refusal = permissionError(role, 'session/customizationToggled');
  return (
    <SidePanel title="Customizations" problem={problem} onClose={onClose}>
      {all.length === 0 && tools.length === 0 && (
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
            onChange={(event) => attempt(model.toggleCustomization(customization.uri, event.target.checked))}
          />
        </label>
      ))}
      {tools.map(({ client, tools: offered }) => (
        <section key={client.clientId} aria-label={`Tools of ${clientName(client)}`}>
          <h3>Tools of {clientName(client)}</h3>
          {offered.map(({ name, title, description }) => (
            <div className="line" key={name}>
              <span className="grow">
                {title ?? name}
                <span className="aux"> Tool</span>
                {description && <span className="thought">{description}</span>}
              </span>
            </div>
          ))}
        </section>
      ))}
    </SidePanel>
  );
}

function clientName({ name, device }: Author): string {
  return name ?? device ?? 'a client';
}
