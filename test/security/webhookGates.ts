import type { GateRow } from './gates.js';

const WEBHOOKS = 'packages/host/src/webhooks';
const TEST = 'test/e2e/webhooks/webhooks.test.ts';

/** Rows of gates.ts about webhooks. */
export const WEBHOOK_GATES: readonly GateRow[] = [
  [
    '29',
    'webhooks on private addresses',
    `${WEBHOOKS}/webhookCall.ts`,
    'return this.#callsFor(allowPrivate).refusal(url);',
    'return this.#all.refusal(url);',
    TEST,
    'WH3',
  ],
  [
    '29',
    'names of webhooks that resolve to this machine later',
    `${WEBHOOKS}/webhookCall.ts`,
    'const calls = this.#callsFor(allowPrivate === true);',
    'const calls = this.#all;',
    TEST,
    'resolves elsewhere',
  ],
  [
    '29',
    'owners of one space change webhooks of another',
    `${WEBHOOKS}/webhooks.ts`,
    'one.id === id && one.space === space',
    'one.id === id',
    TEST,
    'WH5',
  ],
  [
    '29',
    'owners of one space see webhooks of another',
    `${WEBHOOKS}/webhooks.ts`,
    '.filter((one) => one.space === space)',
    '',
    TEST,
    'WH5',
  ],
  [
    '29',
    'the secret of a webhook is listed',
    `${WEBHOOKS}/webhookStore.ts`,
    'secret: _, ',
    '',
    TEST,
    'tested and removed',
  ],
  [
    '29',
    'webhooks are signed with a key that all know',
    `${WEBHOOKS}/signature.ts`,
    "createHmac('sha256', key)",
    "createHmac('sha256', 'key')",
    TEST,
    'signed',
  ],
  [
    '29',
    'texts are sent that were not asked for',
    `${WEBHOOKS}/webhookMessage.ts`,
    '...(content && text !== undefined',
    '...(text !== undefined',
    TEST,
    'without texts',
  ],
  [
    '29',
    'any number of webhooks',
    `${WEBHOOKS}/webhooks.ts`,
    'if (webhooks.length < MAX_WEBHOOKS)',
    'if (true)',
    TEST,
    'limited in number',
  ],
  [
    '29',
    'any number of sessions wait for a webhook',
    `${WEBHOOKS}/webhookLane.ts`,
    'if (this.#entries.size >= this.#options.limits.waiting)',
    'if (false)',
    TEST,
    'too many sessions',
  ],
];
