import { MAX_WEBHOOKS, type Webhook, type WebhookEvent } from '@agenthost/protocol';
import { dateOf } from '@agenthost/protocol/internal';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../../command.js';
import { CommandError, EXIT, usageError } from '../../commandError.js';
import { safeLine } from '../../text/safeText.js';
import { withHost } from '../../withHost.js';

const ACTIONS = ['add', 'ls', 'rm', 'test', 'enable'] as const;
const EVENTS: readonly WebhookEvent[] = ['turnStarted', 'turnEnded', 'needsInput', 'inputGiven'];

const options = {
  ...HOST_OPTIONS,
  ...JSON_OPTION,
  on: { type: 'string', value: 'EVENTS', help: `add: which events, with commas between them: ${EVENTS.join(', ')}` },
  content: { type: 'boolean', help: 'add: send messages, questions and the text of answers too' },
  'allow-private': { type: 'boolean', help: 'add: allow an address in a private network, or without TLS' },
} as const;

export const command = defineCommand({
  name: 'webhook',
  summary: 'have the host tell other programs of events, by HTTP',
  usage: 'add URL --on EVENTS|ls|rm ID|test ID|enable ID [flags]',
  options,
  completes: ACTIONS,
  notes: `add prints the secret that signs what is sent (Standard Webhooks), once. An event is sent until the receiver answers 2xx, the
events of a session in order; a receiver that fails for five days is disabled, which ls says, and enable begins again from then on.
test sends a message of its own. rm also drops what waits. A host has at most ${MAX_WEBHOOKS}. Only an owner may do any of it.`,
  examples: [
    'agenthost webhook add https://example.org/in --on needsInput,turnEnded',
    'agenthost webhook add http://127.0.0.1:8080/in --on turnEnded --content --allow-private',
    'agenthost webhook ls',
    'agenthost webhook test wh_Zk3tV0bC9xYq',
  ],
  run: async (values, [what, name, ...more]) => {
    const action = ACTIONS.find((known) => known === what);
    if (!action || more.length > 0 || (action === 'ls') !== (name === undefined)) {
      throw usageError(
        'webhook takes one action and what it is for.',
        'Give add URL, ls, or rm, test or enable with an id.',
      );
    }
    const print = (value: unknown, text: string) =>
      process.stdout.write(`${values.json ? JSON.stringify(value) : text}\n`);
    return withHost(values, async ({ webhooks }) => {
      if (action === 'ls') for (const one of (await webhooks.list()).items) print(one, webhookLine(one));
      else if (name === undefined) return EXIT.usage;
      else if (action === 'add') {
        const { 'allow-private': allowPrivate, content } = values;
        const events = eventsOf(values.on);
        const allowed = { ...(content && { content }), ...(allowPrivate && { allowPrivate }) } as const;
        const added = await webhooks.add({ url: name, events, ...allowed });
        print(added, `${added.webhook.id}\nSecret, shown once: ${added.secret}`);
      } else if (action === 'rm') await webhooks.remove(name);
      else if (action === 'enable') await webhooks.enable(name);
      else {
        const { delivered, problem = 'it failed' } = await webhooks.test(name);
        if (!delivered)
          throw new CommandError(EXIT.failed, `The test was not delivered: ${safeLine(problem)}.`, 'See ls.');
        print({ delivered }, 'The receiver has accepted the test.');
      }
      return EXIT.ok;
    });
  },
});

function eventsOf(text: string | undefined): WebhookEvent[] {
  const wanted = text?.split(',').map((name) => name.trim()) ?? [];
  const known = EVENTS.filter((event) => wanted.includes(event));
  if (known.length > 0 && known.length === new Set(wanted).size) return known;
  throw usageError('--on needs the names of events.', `Give some of ${EVENTS.join(', ')}, with commas between them.`);
}

function webhookLine({ id, url, events, failingSince, disabledAt, problem, waiting }: Webhook): string {
  const at = (time: number) => dateOf(time).toISOString();
  const state =
    disabledAt !== undefined
      ? `disabled since ${at(disabledAt)}`
      : failingSince === undefined
        ? 'works'
        : `failing since ${at(failingSince)}`;
  const more = [problem, waiting !== undefined && waiting > 0 && `${waiting} sessions wait`].filter(Boolean).join('; ');
  return safeLine(`${id}  ${events.join(',')}  ${url}  ${state}${more ? ` (${more})` : ''}`);
}
