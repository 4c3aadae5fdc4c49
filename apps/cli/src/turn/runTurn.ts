import type { HostClient, SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { CommandError, EXIT } from '../commandError.js';
import { type ApprovalPolicy, Approvals } from './approvals.js';
import { followTurn } from './followTurn.js';
import { JsonTurnPrinter, printEvent } from './jsonTurn.js';
import { TerminalQuestions } from './terminalQuestions.js';
import { TurnPrinter } from './turnPrinter.js';

interface RunTurnOptions {
  readonly turnId: string;
  readonly policy: ApprovalPolicy;
  readonly canAsk: boolean;
  readonly tools: 'line' | 'output' | 'none';
  readonly reasoning: boolean;
  readonly json: boolean;
  readonly howToAttach: string;
}

/** Prints a turn until it ends, and answers its questions. Leaving early keeps the turn running, and says so. */
export async function runTurn(
  host: HostClient,
  session: SessionHandle,
  { turnId, policy, canAsk, tools, reasoning, json, howToAttach }: RunTurnOptions,
): Promise<{ readonly turn: Turn; readonly wasDenied: boolean }> {
  const { stdout, stderr } = process;
  const text = new TurnPrinter({ tools: json ? 'none' : tools, reasoning, out: stdout, err: stderr });
  const printer = json ? new JsonTurnPrinter() : text;
  const questions = canAsk && (policy === 'ask' || policy === 'reads') ? new TerminalQuestions() : undefined;
  const goesOn = `Follow it with ${howToAttach}.`;
  let wasDenied = false;
  const fail = (error: unknown) => interrupts.leave(error as CommandError);
  const interrupts = new Interrupts(() => {
    if (!json) text.note(`Cancelling… Ctrl+C again leaves the turn running.`);
    cancel(session, turnId).catch(fail);
  });
  const pipeClosed = () => {
    stderr.write(`The output was closed; the turn continues.\n${goesOn}\n`);
    process.exit(EXIT.closedPipe);
  };
  stdout.prependListener('error', pipeClosed);
  const approvals = new Approvals(session, {
    policy,
    turnId,
    questions,
    note: (line) => text.note(line),
    onDenied: () => {
      wasDenied = true;
    },
    onLeft: (what) => {
      if (json) printEvent('waiting', { what });
      const [first = ''] = what.split('\n');
      const command = what.split('\n')[1]?.trim();
      interrupts.leave(
        new CommandError(
          EXIT.needsAnswer,
          `The agent waits for an answer: ${first}${command ? ` ${command}` : ''}`,
          `Answer it with ${howToAttach}; --approve would have answered it.`,
        ),
      );
    },
    onError: fail,
  });
  try {
    const turn = await followTurn(host, session, {
      turnId,
      signal: interrupts.leaving,
      onChange: (current) => printer.update(current),
      onQueued: () => !json && text.note('· Another turn runs; this one waits for its end.'),
      onAway: () => !json && text.note("· The host isn't answering. Reconnecting…"),
    });
    return { turn, wasDenied };
  } catch (error) {
    if (error instanceof CommandError && error.whatToDo === '') {
      throw new CommandError(error.exitCode, error.message, goesOn);
    }
    throw error;
  } finally {
    text.end();
    approvals.dispose();
    questions?.close();
    interrupts.dispose();
    stdout.off('error', pipeClosed);
  }
}

/** A running turn is cancelled; a queued message is removed. */
async function cancel(session: SessionHandle, turnId: string): Promise<void> {
  const { activeTurn, queuedMessages = [] } = session.state.value;
  if (activeTurn?.id === turnId) await session.cancel();
  else if (queuedMessages.some(({ id }) => id === turnId)) await session.removePending(turnId);
}

/** Ctrl+C once cancels, twice leaves; a lost terminal leaves at once. After leaving, the turn continues. */
class Interrupts {
  readonly #leaving = new AbortController();
  readonly #handlers: readonly [NodeJS.Signals, () => void][];
  #interrupts = 0;

  constructor(onCancel: () => void) {
    const leave = (exitCode: number) => () =>
      this.#leaving.abort(new CommandError(exitCode, 'The turn continues without this command.', ''));
    const interrupt = () => {
      if (++this.#interrupts === 1) onCancel();
      else leave(EXIT.interrupted)();
    };
    this.#handlers = [
      ['SIGINT', interrupt],
      ['SIGTERM', leave(EXIT.terminated)],
      ['SIGHUP', leave(EXIT.hungUp)],
    ];
    for (const [signal, handler] of this.#handlers) process.on(signal, handler);
  }

  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  leave(reason: CommandError): void {
    this.#leaving.abort(reason);
  }

  dispose(): void {
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }
}
