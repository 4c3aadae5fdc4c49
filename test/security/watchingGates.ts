import type { GateRow } from './gates.js';

const HOST = 'packages/host/src';
const GATE = `${HOST}/server/metricsGate.ts`;
const METRICS = 'test/e2e/watching/metrics.test.ts';
const SPANS = 'packages/host/test/telemetry/turnSpans.test.ts';
const FIGURES = 'packages/host/test/metrics/figures.test.ts';
const ROUTES = 'test/security/routes.test.ts';

/** Rows of gates.ts about figures and telemetry. */
export const WATCHING_GATES: readonly GateRow[] = [
  [
    '2',
    'metrics are answered to any Host and Origin',
    `${HOST}/server/hostServer.ts`,
    '!refused && this.#metrics &&',
    'this.#metrics &&',
    ROUTES,
    'own names',
  ],
  [
    'watching',
    'any token reads metrics',
    GATE,
    "if (!mayRead(credential)) return answer(response, 403, OTHER_TOKEN, { connection: 'close' });",
    '',
    METRICS,
    'of that role and an owner',
  ],
  [
    'watching',
    'the owner of a space reads the figures of all spaces',
    GATE,
    "(role === 'owner' && space === DEFAULT_SPACE)",
    "role === 'owner'",
    METRICS,
    'of that role and an owner',
  ],
  [
    'watching',
    'a token that reads metrics opens the host',
    `${HOST}/server/access/authenticator.ts`,
    'if (found?.only !== undefined && found.only !== purpose) return undefined;',
    '',
    METRICS,
    'nothing else',
  ],
  [
    'watching',
    'a token that reads metrics becomes an owner',
    `${HOST}/server/access/deviceTokens.ts`,
    'if (changes.role !== undefined && old.only) throw onlyMetrics(old);',
    '',
    METRICS,
    'nothing else',
  ],
  [
    'watching',
    'a span has what was said',
    `${HOST}/telemetry/turnSpans.ts`,
    "...(this.#withContent && { 'gen_ai.input.messages'",
    "...({ 'gen_ai.input.messages'",
    SPANS,
    'without a word',
  ],
  [
    'watching',
    'a span has what an agent calls a tool',
    `${HOST}/telemetry/turnSpans.ts`,
    'const name = toolName(given);',
    'const name = given;',
    SPANS,
    'without a word',
  ],
  [
    'watching',
    'spans without an end are kept for ever',
    `${HOST}/telemetry/turnSpans.ts`,
    'if (this.#turns.size > MAX_TURNS && oldest !== undefined)',
    'if (false)',
    SPANS,
    'bounded',
  ],
  [
    'watching',
    'labels take any number of values',
    `${HOST}/metrics/counts.ts`,
    'if (this.#series.size >= MAX_SERIES)',
    'if (false)',
    FIGURES,
    'ten thousand values',
  ],
  [
    'watching',
    'the address of a collector is in the log',
    `${HOST}/telemetry/sendingProblems.ts`,
    ".replace(/\\bhttps?:\\/\\/\\S+/g, 'the collector')",
    '',
    SPANS,
    'without its address',
  ],
];
