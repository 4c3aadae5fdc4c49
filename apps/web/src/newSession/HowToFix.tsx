import type { AgentInfo } from '@agenthost/protocol';
import { Download } from 'lucide-react';
import { useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { problemText } from '../app/problemText.js';
import { useObservable } from '../app/useObservable.js';
import { CopyButton } from '../controls/CopyButton.js';
import { InlineText } from '../conversation/InlineText.js';
import { bytes } from '../conversation/times.js';

export function agentWords({ availability, models, description }: AgentInfo): string {
  if (availability.state === 'installing') return 'Being installed';
  if (availability.state === 'unavailable') return availability.installable ? 'Not installed' : availability.reason;
  return models.length > 0 ? `Ready, ${models.length} ${models.length === 1 ? 'model' : 'models'}` : description;
}

/** Why an agent can't be used, for a tooltip. */
export function agentDetails({ availability }: AgentInfo): string | undefined {
  if (availability.state !== 'unavailable') return undefined;
  return `${availability.reason} ${availability.howToFix}`.replaceAll('`', '');
}

/** Says what to do about an agent that can't be used, with a button where the page can install it. */
export function HowToFix({
  host,
  agent,
  withReason = false,
}: {
  readonly host: PageHost;
  readonly agent: AgentInfo;
  readonly withReason?: boolean;
}) {
  const refusal = permissionError(useObservable(host.role), 'installAgent');
  const [progress, setProgress] = useState<string>();
  const { availability } = agent;
  const installing = availability.state === 'installing';
  const install = async () => {
    setProgress('Installing');
    const following = host.provider.status.onProgress(({ message, done, total }) =>
      setProgress(total ? `${message}, ${Math.round(((done ?? 0) / total) * 100)} %` : message),
    );
    try {
      await host.provider.status.installAgent(agent.provider);
      setProgress(undefined);
    } catch (error) {
      setProgress(problemText(error));
    } finally {
      following.dispose();
    }
  };
  if (availability.state === 'available') return null;
  const command = availability.state === 'unavailable' ? /`([^`]+)`/.exec(availability.howToFix)?.[1] : undefined;
  const installable = availability.state === 'unavailable' ? availability.installable : undefined;
  return (
    <div className="fix">
      <Download size={15} aria-hidden />
      <span className="grow" role="status" title={agentDetails(agent)}>
        <InlineText
          text={
            progress ??
            (availability.state === 'unavailable'
              ? installable
                ? agentWords(agent)
                : `${withReason ? `${availability.reason} ` : ''}${availability.howToFix}`
              : `${agent.displayName} is being installed.`)
          }
        />
      </span>
      {command && <CopyButton text={command} label="Copy command" />}
      {installable && (
        <button
          type="button"
          className="btn plain sm"
          disabled={installing || progress === 'Installing' || refusal !== undefined}
          title={refusal}
          onClick={() => void install()}
        >
          Install{installable.sizeHint ? `, ${bytes(installable.sizeHint)}` : ''}
        </button>
      )}
    </div>
  );
}
