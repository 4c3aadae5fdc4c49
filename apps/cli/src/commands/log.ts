import type { HostClient, SessionHandle } from '@agenthost/client';
import { allTurns, by, OWN_TURN } from '@agenthost/client/internal';
import type { ActiveTurn, SessionState, Turn } from '@agenthost/protocol';
import { dateOf } from '@agenthost/protocol/internal';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../command.js';
import { EXIT } from '../commandError.js';
import { newestTurns } from '../output/turnPages.js';
import { findSession } from '../sessionName.js';
import { safeText } from '../text/safeText.js';
import { styleFor } from '../text/style.js';
import { outcomeLine, TurnPrinter } from '../turn/turnPrinter.js';
import { withHost } from '../withHost.js';
import { parseCount } from './ls.js';

const DEFAULT_TURNS = 20;

export const command = defineCommand({
  name: 'log',
  summary: 'print a conversation',
  usage: 'SESSION [flags]',
  options: {
    ...HOST_OPTIONS,
    ...JSON_OPTION,
    limit: {
      type: 'string',
      short: 'n',
      value: 'TURNS',
      help: `how many of the newest turns (default ${DEFAULT_TURNS})`,
    },
    all: { type: 'boolean', short: 'a', help: 'all turns' },
    follow: { type: 'boolean', short: 'f', help: 'follow new events until Ctrl+C' },
    full: { type: 'boolean', help: 'with the whole output of tools' },
    reasoning: { type: 'boolean', help: 'also the reasoning of the agent' },
  },
  completes: 'session',
  notes: 'With --json each line is one turn, as the protocol has it.',
  examples: ['agenthost log last', 'agenthost log 3f2a --all > conversation.txt', 'agenthost log last --follow'],
  run: (values, [name]) =>
    withHost(values, async (host) => {
      const session = await host.openSession(await findSession(host, name));
      const { json = false, reasoning = false, full = false } = values;
      const whole = (piece: Turn) => (full && !json ? withWholeOutput(piece, host) : piece);
      const print = async (turn: Turn) => {
        if (json) process.stdout.write(`${JSON.stringify(await session.wholeTurn(turn))}\n`);
        else await printTurn(turn, session.turnPieces(turn), { full, reasoning, whole });
      };
      const after = session.confirmed.value.turns.at(-1)?.id;
      const turns = values.all
        ? allTurns(session)
        : await newestTurns(session, parseCount(values.limit, DEFAULT_TURNS));
      for await (const turn of turns) await print(turn);
      if (values.follow) await follow(host, session, { after, print, json, reasoning });
      return EXIT.ok;
    }),
});

interface FollowOptions {
  /** The last turn that was printed. */
  readonly after: string | undefined;
  readonly print: (turn: Turn) => Promise<void>;
  readonly json: boolean;
  readonly reasoning: boolean;
}

interface PrintOptions {
  readonly full: boolean;
  readonly reasoning: boolean;
  readonly whole: (piece: Turn) => Turn | Promise<Turn>;
}

async function printTurn(
  turn: Turn,
  pieces: AsyncIterable<Turn>,
  { full, reasoning, whole }: PrintOptions,
): Promise<void> {
  printMessage(turn);
  // In a log the tools are part of the text.
  const printer = new TurnPrinter({
    tools: full ? 'output' : 'line',
    reasoning,
    out: process.stdout,
    err: process.stdout,
  });
  for await (const piece of pieces) printer.update(await whole(piece));
  endTurn(printer, turn);
}

function endTurn(printer: TurnPrinter, turn: Turn): void {
  printer.end();
  const line = outcomeLine(turn, styleFor(process.stdout));
  process.stdout.write(line === undefined ? '\n' : `${line}\n\n`);
}

function printMessage({ userMessage, by: author, startedAt, origin }: Turn | ActiveTurn): void {
  const style = styleFor(process.stdout);
  const when = dateOf(startedAt).toISOString().replace('T', ' ').slice(0, 16);
  process.stdout.write(style.dim(`── ${when}${by(author)} ──\n`));
  if (origin === 'agent') {
    process.stdout.write(`${style.dim(OWN_TURN)}\n\n`);
    return;
  }
  const lines = safeText(userMessage.text).split('\n');
  process.stdout.write(`${lines.map((line) => `${style.bold('›')} ${line}`).join('\n')}\n\n`);
}

/** Fetched when the state has only its ends. */
async function withWholeOutput(turn: Turn, host: HostClient): Promise<Turn> {
  const toolCalls = [];
  for (const call of turn.toolCalls) {
    const { output } = call;
    if (!output?.ref || !output.omitted) toolCalls.push(call);
    else {
      const content = await host.fetchContent(output.ref.uri);
      toolCalls.push({ ...call, output: { text: content.text() } });
    }
  }
  return { ...turn, toolCalls };
}

/** Prints a running turn as it streams; with `--json`, each turn when it has ended. */
async function follow(
  host: HostClient,
  session: SessionHandle,
  { after, print, json, reasoning }: FollowOptions,
): Promise<void> {
  let last = after;
  let current: { readonly id: string; readonly printer: TurnPrinter } | undefined;
  const { stdout } = process;
  const showEnded = async (turn: Turn) => {
    // Turns that were not followed may have to be fetched.
    if (current?.id !== turn.id) return print(turn);
    current.printer.update(turn);
    endTurn(current.printer, turn);
    current = undefined;
  };
  const show = async ({ turns, activeTurn }: SessionState) => {
    for (const turn of turns.slice(turns.findLastIndex(({ id }) => id === last) + 1)) await showEnded(turn);
    last = turns.at(-1)?.id ?? last;
    if (!activeTurn || json) return;
    if (current?.id !== activeTurn.id) {
      printMessage(activeTurn);
      const printer = new TurnPrinter({ tools: 'line', reasoning, out: stdout, err: stdout });
      current = { id: activeTurn.id, printer };
    }
    current.printer.update(activeTurn);
  };
  let shown = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    const look = (state: SessionState) => {
      shown = shown.then(() => show(state));
      shown.catch(reject);
    };
    session.confirmed.subscribe(look);
    session.gone.subscribe((gone) => gone && reject(gone));
    host.connection.subscribe((connection) => connection.state === 'closed' && reject(connection.reason));
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
    look(session.confirmed.value);
  });
  current?.printer.end();
}
