import './devices.css';
import type { CommandOptions } from '@agenthost/client';
import type { Webhook } from '@agenthost/protocol';
import { useCallback, useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { useNow } from '../app/useNow.js';
import { useObservable } from '../app/useObservable.js';
import { Problem } from '../controls/Problem.js';
import { ago } from '../conversation/times.js';
import { AskDialog } from '../overlays/AskDialog.js';
import { useListed } from './useListed.js';

/** The programs that the host tells of events, and whether that works. */
export function WebhooksSettings({ host }: { readonly host: PageHost }) {
  const { webhooks } = host;
  const refusal = permissionError(useObservable(host.role), 'listWebhooks');
  const list = useCallback((options: CommandOptions) => webhooks.list(options), [webhooks]);
  const { listed, problem, attempt } = useListed(list, refusal === undefined);
  const [removing, setRemoving] = useState<Webhook>();
  const now = useNow(true, 10_000);
  return (
    <section className="setp" aria-label="Webhooks">
      <header>
        <div className="grow">
          <h3>Webhooks</h3>
          <p>Programs that {host.name} tells of questions and turns.</p>
        </div>
      </header>
      <Problem text={problem} />
      {refusal !== undefined && <p className="why">{refusal}</p>}
      {listed && listed.items.length > 0 && (
        <ul className="rows">
          {listed.items.map((webhook) => (
            <li className="dr" key={webhook.id}>
              <div className="grow">
                <b className="clip" title={webhook.url}>
                  {webhook.url}
                </b>
                <small className="clip" title={aboutWebhook(webhook, now)}>
                  {aboutWebhook(webhook, now)}
                </small>
              </div>
              {webhook.disabledAt !== undefined && (
                <button type="button" className="btn sm" onClick={() => attempt(webhooks.enable(webhook.id))}>
                  Enable
                </button>
              )}
              <button type="button" className="btn sm" onClick={() => setRemoving(webhook)}>
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
      {listed?.items.length === 0 && (
        <p className="why">There is none. agenthost webhook add, on a terminal, makes one and prints its secret.</p>
      )}
      {removing && (
        <AskDialog
          title="Remove this webhook?"
          text={`${removing.url} is told nothing more. What waits for it is dropped.`}
          confirm="Remove"
          danger
          onConfirm={async () => {
            await webhooks.remove(removing.id);
            attempt(Promise.resolve());
          }}
          onClose={() => setRemoving(undefined)}
        />
      )}
    </section>
  );
}

function aboutWebhook({ events, failingSince, disabledAt, problem, waiting }: Webhook, now: number): string {
  const state =
    disabledAt !== undefined
      ? `disabled ${ago(disabledAt, now)}`
      : failingSince === undefined
        ? 'works'
        : `failing, first ${ago(failingSince, now)}`;
  const why = problem === undefined ? state : `${state}: ${problem}`;
  return [why, waiting !== undefined && waiting > 0 && `sessions that wait: ${waiting}`, events.join(', ')]
    .filter(Boolean)
    .join('; ');
}
