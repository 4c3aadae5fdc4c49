import { ActionRejectedError, type HostClient, SessionGoneError, type SessionHandle } from '@agenthost/client';
import type { SessionState, Turn, URI } from '@agenthost/protocol';
import { expect } from 'vitest';
import { until } from '../../support/until.js';
import type { FaultPlan } from './faultPlan.js';
import { hasMessage, Ledger } from './ledger.js';
import type { RunningHost, World } from './world.js';

const BIG = 60_000;
/** What the mock agent prints then. */
const BIG_TEXT = `${'0123456789abcdef'.repeat(4).slice(1)}\n`.repeat(1_000).slice(0, BIG);
const SESSIONS = { main: 'mock:/main', fork: 'mock:/fork', other: 'mock:/other', last: 'mock:/last' } as const;

export interface Outcome {
  readonly accepted: number;
  readonly refusals: number;
}

/**
 * A session's life as people lead it, on a storage that may fail anywhere: everything that a client is told is held against
 * what a host finds there afterwards. Throws when something was lost, made up, or can't continue.
 */
export async function play(world: World, plan: FaultPlan): Promise<Outcome> {
  const ledger = new Ledger(plan);
  const script = new Script(world, ledger);
  try {
    await script.firstHalf();
    await script.restart();
    await script.secondHalf();
    plan.repair();
    await script.recovers();
    const told = await script.everythingKnown();
    await script.stop();
    await script.start();
    const found = await script.everythingKnown();
    expect(found).toEqual(told);
    ledger.check(found);
    await script.isWhole();
    return { accepted: ledger.acceptedCount, refusals: ledger.refusals };
  } finally {
    plan.repair();
    await script.stop();
  }
}

class Script {
  readonly #world: World;
  readonly #ledger: Ledger;
  #host: RunningHost | undefined;
  #client: HostClient | undefined;
  #main: SessionHandle | undefined;

  constructor(world: World, ledger: Ledger) {
    this.#world = world;
    this.#ledger = ledger;
  }

  async start(): Promise<void> {
    this.#host = await this.#world.start();
    this.#client = await this.#host.connect({ clientInfo: { name: 'Ada' }, random: () => 0.01 });
  }

  async stop(): Promise<void> {
    await this.#host?.stop();
    this.#host = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async firstHalf(): Promise<void> {
    await this.start();
    const main = await this.#create(SESSIONS.main);
    this.#main = main;
    await this.#turn(main, 't-hello', 'hello');
    await this.#ledger.action(
      'a title',
      main.uri,
      () => main.rename('A title'),
      ({ summary }) => summary.title === 'A title',
    );
    await this.#turn(main, 't-confirm', 'confirm-tool', () => this.#confirm(main));
    await this.#turn(main, 't-steer', 'steer', async () => {
      await this.#pending(main, 'queued', 'q-hello', 'hello');
      await this.#pending(main, 'steering', 's-this-way', 'this way');
    });
    await this.#turn(main, 't-big', `big-output ${BIG}`);
    await this.#turn(main, 't-plan', 'plan');
    await this.#fork(main);
    await this.#disposeOfAnother();
    await this.#ledger.action(
      'the archive',
      main.uri,
      () => main.archive(),
      ({ summary }) => summary.isArchived === true,
    );
  }

  async secondHalf(): Promise<void> {
    const main = await this.#ledger.insist('opening it again', () => this.#open(SESSIONS.main));
    this.#main = main;
    await this.#turn(main, 't-again', 'hello');
    const turn = await this.#ledger.attempt('older turns', async () => {
      for await (const turn of main.history()) expect(turn.id).toBeDefined();
    });
    if (turn) await this.#bigContent(main.confirmed.value);
  }

  /** The storage works again: so does everything. */
  async recovers(): Promise<void> {
    const main = this.#main;
    if (!main || !this.#client) return expect.fail('there is no session to go on with');
    await sendWhenFree(main, 'hello', 't-after');
    const { turns } = await ended(main);
    expect(turns.find(({ id }) => id === 't-after')).toMatchObject({ state: 'complete' });
    await this.#create(SESSIONS.last);
    await this.#client.ping();
  }

  /** Every session as a client that has just come sees it; the one that was here all the time must agree. */
  async everythingKnown(): Promise<ReadonlyMap<URI, SessionState>> {
    const fresh = await this.#mustRun().connect({ clientInfo: { name: 'Eve' } });
    const states = new Map<URI, SessionState>();
    for (const uri of Object.values(SESSIONS)) {
      // Who keeps the files has to say so for each of them.
      if (this.#world.createSessionFsHandler) await this.#open(uri).catch(ignoreGone);
      const session = await fresh.openSession(uri).catch(ignoreGone);
      if (!session) continue;
      // One that was loaded while it was being made is made ready now.
      await until(session.confirmed, ({ lifecycle }) => lifecycle !== 'creating', `${uri} to be ready`, 20_000);
      await ended(session);
      states.set(uri, comparable(session.confirmed.value));
    }
    for (const [uri, state] of states) {
      const mine = await this.#open(uri);
      expect(comparable(await ended(mine))).toEqual(state);
      expect(mine.state.value).toBe(mine.confirmed.value);
    }
    const listed = (await fresh.listSessions()).items.map(({ resource }) => resource).sort();
    expect(listed).toEqual([...states.keys()].sort());
    fresh.close();
    return states;
  }

  /** What is kept is sessions, and all of what they refer to; nothing is left of what there isn't. */
  async isWhole(): Promise<void> {
    const ids = await this.#world.sessionIds();
    const known = Object.values(SESSIONS).filter((uri) => this.#ledger.sessions.get(uri) === 'there');
    const possible = Object.values(SESSIONS).filter((uri) => this.#ledger.sessions.get(uri) === 'either');
    expect(ids.filter((id) => !possible.includes(`mock:/${id}` as never))).toEqual(
      known.map((uri) => uri.slice('mock:/'.length)).sort(),
    );
    for (const uri of known) await this.#bigContent((await this.#open(uri)).confirmed.value);
  }

  async #create(uri: URI): Promise<SessionHandle> {
    const session = await this.#ledger.insist(`creating ${uri}`, () =>
      this.#mustConnect().createSession({ provider: 'mock', session: uri, ...this.#files() }),
    );
    this.#ledger.sessions.set(uri, 'there');
    await session.ready();
    return session;
  }

  async #fork(main: SessionHandle): Promise<void> {
    // A message that waited may have its turn just now.
    const turns = () => main.confirmed.value.turns.length;
    const before = turns();
    const isDone = await this.#ledger.attempt('a fork', async () => {
      const fork = await this.#mustConnect().forkSession({
        source: main.uri,
        session: SESSIONS.fork,
        ...this.#files(),
      });
      const forked = fork.confirmed.value.turns.length;
      expect([forked >= before, forked <= turns()], `${forked} of ${before} to ${turns()} turns`).toEqual([true, true]);
    });
    this.#ledger.sessions.set(SESSIONS.fork, isDone ? 'there' : 'gone');
  }

  async #disposeOfAnother(): Promise<void> {
    const other = await this.#create(SESSIONS.other);
    await this.#turn(other, 't-other', 'hello');
    const isDone = await this.#ledger.attempt('a removal', () => this.#mustConnect().disposeSession(other.uri));
    // One that has failed may have got anywhere; what may not be is a half of it.
    this.#ledger.sessions.set(other.uri, isDone ? 'gone' : 'either');
  }

  /** Whatever happens, a turn that was accepted ends, and says so. */
  async #turn(session: SessionHandle, id: string, text: string, meanwhile?: () => Promise<void>): Promise<void> {
    const isDone = await this.#ledger.action(text, session.uri, () => sendWhenFree(session, text, id), hasMessage(id));
    if (!isDone) return;
    await meanwhile?.();
    const { turns } = await ended(session);
    const turn = turns.find((ended) => ended.id === id);
    if (turn?.state === 'complete') checkAnswer(turn);
    else expect(turn).toMatchObject({ state: 'error', error: { errorType: 'storage', message: /injected/ } });
  }

  async #confirm(session: SessionHandle): Promise<void> {
    const { activeTurn } = await until(
      session.confirmed,
      (state) => !state.activeTurn || waitsForConfirmation(state),
      'the question',
    );
    const [prompt] = session.pendingConfirmations.value;
    if (!activeTurn || !prompt) return;
    const isDone = await this.#ledger.attempt('an approval', () => prompt.approve());
    // The turn that asked has ended with the storage, or still waits for an answer.
    if (!isDone && session.confirmed.value.activeTurn) {
      await this.#ledger.attempt('an approval', async () => session.pendingConfirmations.value[0]?.approve());
    }
  }

  async #pending(session: SessionHandle, kind: 'queued' | 'steering', id: string, text: string): Promise<void> {
    const action = { type: 'session/pendingMessageSet', kind, id, userMessage: { text } } as const;
    await this.#ledger.action(`${kind} ${text}`, session.uri, () => session.dispatch(action), hasMessage(id));
  }

  async #bigContent({ turns }: SessionState): Promise<void> {
    const turn = turns.find(({ id }) => id === 't-big');
    const ref = turn && outputRef(turn);
    if (turn?.state !== 'complete') return;
    expect(ref, 'the big output').toBeDefined();
    await this.#ledger.attempt('the big output', async () => {
      const content = await this.#mustConnect().fetchContent(ref?.uri ?? '');
      expect(content.size).toBe(BIG);
      expect(content.text() === BIG_TEXT, 'what was printed').toBe(true);
    });
  }

  #open(uri: URI): Promise<SessionHandle> {
    return this.#mustConnect().openSession(uri, this.#files());
  }

  #files() {
    const { createSessionFsHandler } = this.#world;
    return createSessionFsHandler ? { createSessionFsHandler } : {};
  }

  #mustRun(): RunningHost {
    return this.#host ?? expect.fail('no host runs');
  }

  #mustConnect(): HostClient {
    return this.#client ?? expect.fail('no client is connected');
  }
}

function waitsForConfirmation({ activeTurn }: SessionState): boolean {
  return Object.values(activeTurn?.toolCalls ?? {}).some(({ status }) => status === 'pendingConfirmation');
}

function outputRef({ toolCalls: [call] }: Turn) {
  return call?.output?.ref;
}

function checkAnswer({ id, userMessage, responseParts }: Turn): void {
  const text = responseParts.flatMap((part) => (part.kind === 'markdown' ? [part.content] : [])).join('');
  if (userMessage.text === 'hello') expect(text, id).toBe('Hello, world!');
  if (id === 't-confirm') expect(text, id).toBe('Done.');
  if (id === 't-steer') expect(text, id).toMatch(/^Waiting to be steered. Steered: /);
  if (id === 't-plan') expect(text, id).toBe('That is the plan.');
}

/** What waited in the queue may begin first. */
async function sendWhenFree(session: SessionHandle, text: string, id: string): Promise<void> {
  for (;;) {
    await ended(session);
    try {
      await session.send(text, id);
      return;
    } catch (error) {
      if (!(error instanceof ActionRejectedError && error.rejection.code === 'turnInProgress')) throw error;
    }
  }
}

function ended(session: SessionHandle): Promise<SessionState> {
  return until(session.confirmed, ({ activeTurn }) => !activeTurn, 'the end of the turn', 20_000);
}

/** Without who looks on, and without the host that has it: the next one writes its own name soon after it has opened it. */
function comparable({ clients: _, ...state }: SessionState): SessionState {
  const { host: __, ...metadata } = state.summary.metadata ?? {};
  return { ...state, summary: { ...state.summary, metadata } };
}

function ignoreGone(error: unknown): undefined {
  if (!(error instanceof SessionGoneError)) throw error;
}
