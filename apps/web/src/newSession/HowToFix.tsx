import type { AgentInfo } from '@agenthost/protocol';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { loginStateWords, needsLogin } from '../agents/loginWords.js';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { problemText } from '../app/problemText.js';
import { useObservable } from '../app/useObservable.js';
import { CopyButton } from '../controls/CopyButton.js';
import { InlineText } from '../conversation/InlineText.js';
import { bytes } from '../conversation/times.js';

export function agentWords({ availability, models, description, login }: AgentInfo): string {
  if (availability.state === 'installing') return 'Being installed';
  if (availability.state === 'unavailable') return availability.installable ? 'Not installed' : availability.reason;
  if (login && needsLogin(login)) return loginStateWords(login);
  return models.length > 0 ? `Ready, ${models.length} ${models.length === 1 ? 'model' : 'models'}` : description;
}

/** Why an agent can't be used, for a tooltip. */
export function agentDetails({ availability }: AgentInfo): string | undefined {
  if (availability.state !== 'unavailable') return undefined;
  return `${availability.reason} ${availability.howToFix}`.replaceAll('`', '');
}

/** Says what to do about an agent that can't be used, with a button where the page can install it, or end that. */
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
  const cancelRefusal = permissionError(useObservable(host.role), 'cancelInstall');
  const { availability } = agent;
  const installing = availability.state === 'installing';
  const progress = useInstallProgress(host, agent);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const attempt = async (work: Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work;
    } catch (error) {
      setProblem(problemText(error));
    } finally {
      setBusy(false);
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
            problem ??
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
          disabled={busy || refusal !== undefined}
          title={refusal}
          onClick={() => void attempt(host.provider.status.installAgent(agent.provider))}
        >
          Install{installable.sizeHint ? `, ${bytes(installable.sizeHint)}` : ''}
        </button>
      )}
      {installing && (
        <button
          type="button"
          className="btn plain sm"
          disabled={busy || cancelRefusal !== undefined}
          title={cancelRefusal}
          onClick={() => void attempt(host.provider.status.cancelInstall(agent.provider))}
        >
          {busy ? 'Cancelling' : 'Cancel'}
        </button>
      )}
    </div>
  );
}

/** What the host last said of the installation, whoever began it: how far it is, or how it ended if the agent is not there. */
function useInstallProgress(host: PageHost, { provider, availability }: AgentInfo): string | undefined {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    const following = host.provider.status.onProgress(({ token, message, done, total }) => {
      if (token !== `installAgent/${provider}`) return;
      setSaid(total ? `${message}, ${Math.round(((done ?? 0) / total) * 100)} %` : message);
    });
    return () => following.dispose();
  }, [host, provider]);
  const isThere = availability.state === 'available';
  useEffect(() => {
    if (isThere) setSaid(undefined);
  }, [isThere]);
  return isThere ? undefined : said;
}
