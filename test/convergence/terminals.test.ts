import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate as tick } from 'node:timers/promises';
import { type AttachedTerminal, ConnectionLostError, type TerminalListener } from '@agenthost/client';
import { Host, MockAgent, silentLog } from '@agenthost/host';
import { sessionUri } from '@agenthost/protocol';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { FIXED_SEED, RUNS, TIMEOUT_MS, temporaryRoot } from './property.js';
import { TestClient } from './testClient.js';

const SIZE = { columns: 200, rows: 24 };
const CLIENTS = 3;
/** Who is not at rest then never will be. */
const HEAL_MS = 60_000;
/** Each has a shell of its own. */
const TERMINALS = Math.max(4, Math.ceil(RUNS / 100));

type Step =
  | { readonly do: 'type' | 'take' | 'cut' | 'lose' | 'release'; readonly client: number }
  | { readonly do: 'hold'; readonly client: number; readonly lane: 'toHost' | 'toClient' }
  | { readonly do: 'run'; readonly ticks: number };

const client = fc.nat(CLIENTS - 1);
const named = (name: Exclude<Step['do'], 'hold' | 'run'>) => fc.record({ do: fc.constant(name), client });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 10, arbitrary: named('type') },
  { weight: 3, arbitrary: named('take') },
  { weight: 2, arbitrary: named('cut') },
  { weight: 2, arbitrary: named('lose') },
  { weight: 3, arbitrary: named('release') },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('hold' as const),
      client,
      lane: fc.constantFrom('toHost' as const, 'toClient' as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('run' as const), ticks: fc.integer({ min: 1, max: 20 }) }) },
);

/** What a client has been shown, as plain text: the screens are short enough to be kept whole. */
class Shown implements TerminalListener {
  #text = '';
  readonly #waiting = new Set<() => void>();

  onScreen(screen: string): void {
    this.#text = screen;
    this.#look();
  }

  onOutput(data: string): void {
    this.#text += data;
    this.#look();
  }

  /** Without what empties the terminal first. */
  get text(): string {
    return this.#text.replace('\x1bc', '');
  }

  shows(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.text.includes(text) && this.#waiting.delete(look)) resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}

interface Person {
  readonly client: TestClient;
  shown: Shown;
  terminal: AttachedTerminal | undefined;
}

/** What was typed, and what its sender was told. */
interface Typed {
  readonly line: string;
  readonly answered: Promise<boolean | undefined>;
}

describe('[TERM2] [TERM3] [TERM5] people who type in one terminal', () => {
  const root = temporaryRoot();
  afterAll(() => root.dispose());

  it('see the same after any history, and every line is there as often as its sender was told', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50, size: 'max' }), run);
    await fc.assert(property, { seed: FIXED_SEED, numRuns: TERMINALS });
    console.info(`${TERMINALS} terminals, 0 diverged`);
  });

  async function run(steps: readonly Step[]): Promise<void> {
    const folder = mkdtempSync(join(root.path, 'run-'));
    const shell = join(folder, 'shell');
    await writeFile(shell, `#!/bin/sh\nstty raw -echo\nprintf ready\nexec cat\n`, { mode: 0o755 });
    const env = { PATH: process.env['PATH'] ?? '', SHELL: shell };
    const stateDir = join(folder, 'state');
    const host = await Host.start({
      stateDir,
      env,
      agents: [new MockAgent()],
      defaultDirectory: folder,
      log: silentLog,
    });
    const people = Array.from({ length: CLIENTS }, (_, index) => personOf(host, `client-${index}`));
    try {
      await attachAll(people);
      const typed: Typed[] = [];
      for (const one of steps) await play(people, one, typed);
      await within(HEAL_MS, conclude(people, typed));
    } finally {
      for (const person of people) person.client.connection.close();
      await host.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }
});

function personOf(host: Host, clientId: string): Person {
  const client = new TestClient({
    clientId,
    reachable: async () => {},
    attach: (wire) => host.attach(wire.host),
    onError: () => {},
    onDuplicated: () => {},
    onFrame: () => {},
  });
  return { client, shown: new Shown(), terminal: undefined };
}

async function attachAll(people: readonly Person[]): Promise<void> {
  const [first, ...others] = people;
  if (!first) return;
  const session = sessionUri('mock', 's0');
  const made = await first.client.connection.createSession({ provider: 'mock', session });
  await made.ready();
  first.terminal = await first.client.connection.terminalsOf(session).create(SIZE, first.shown);
  for (const person of others) {
    person.terminal = await person.client.connection.terminalsOf(session).attach(first.terminal.uri, person.shown);
  }
  // Before that the terminal itself shows what is typed.
  await first.shown.shows('ready');
}

async function play(people: readonly Person[], step: Step, typed: Typed[]): Promise<void> {
  if (step.do === 'run') {
    for (let left = step.ticks; left > 0; left--) await tick();
    return;
  }
  const person = people[step.client];
  const { client, terminal } = person ?? {};
  if (!person || !client || !terminal) return;
  const told = (answer: Promise<boolean>) =>
    answer.catch((error: unknown) => {
      if (!(error instanceof ConnectionLostError)) throw error;
      return undefined;
    });
  switch (step.do) {
    case 'type': {
      const line = `<${client.clientId}:${typed.length}>\n`;
      typed.push({ line, answered: told(terminal.type(line)) });
      return;
    }
    case 'take':
      void terminal.takeKeyboard().catch(() => undefined);
      return;
    case 'hold':
      client.held[step.lane] = true;
      client.wire?.[step.lane].hold();
      return;
    case 'release':
      release(person);
      return;
    case 'cut':
      client.wire?.cut();
      return;
    case 'lose':
      client.wire?.cutForClient();
      return;
  }
}

/** Rejects when it takes too long. */
async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const ending = new AbortController();
  const tooLong = delay(limitMs, undefined, { signal: ending.signal }).then(() => {
    throw new Error(`not settled after ${limitMs} ms`);
  });
  tooLong.catch(() => {});
  try {
    await Promise.race([work, tooLong]);
  } finally {
    ending.abort();
  }
}

function release({ client }: Person): void {
  client.held.toHost = false;
  client.held.toClient = false;
  for (const wire of client.wires) {
    wire.toHost.release();
    wire.toClient.release();
  }
}

async function conclude(people: readonly Person[], typed: readonly Typed[]): Promise<void> {
  for (const person of people) release(person);
  const outcomes = await Promise.all(typed.map(({ answered }) => answered));
  const [last] = people;
  await last?.terminal?.takeKeyboard();
  await last?.terminal?.type('<end>\n');
  await Promise.all(people.map(({ shown }) => shown.shows('<end>')));
  const texts = people.map(({ shown }) => shown.text);
  expect(new Set(texts).size, 'what they see').toBe(1);
  const [written = ''] = texts;
  for (const [at, { line }] of typed.entries()) {
    const times = written.split(line).length - 1;
    const outcome = outcomes[at];
    expect(times, `${line.trim()}, answered ${outcome}`).toBe(outcome === undefined ? times : Number(outcome));
    expect(times).toBeLessThanOrEqual(1);
  }
  // Each one's lines in the order in which they were typed.
  for (const { client } of people) {
    const own = [...written.matchAll(/<(client-\d+):(\d+)>/g)].filter(([, who]) => who === client.clientId);
    const numbers = own.map(([, , number]) => Number(number));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
}
