import type { AgentEvent } from '../agent.js';
import type { MockTurn } from './mockTurn.js';

/** What it reports between two pauses, in events and bytes: other work runs meanwhile, as between two chunks of a process. */
const BURST = 48;
const BURST_BYTES = 65_536;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** `many-calls N BYTES`: N calls that run and complete one after the other, each with that much input and output. */
export async function manyCalls(turn: MockTurn, argument: string): Promise<void> {
  const [count = 1_000, bytes = 20] = numbers(argument);
  const text = LETTERS.repeat(Math.ceil(bytes / LETTERS.length)).slice(0, bytes);
  await report(turn, count, bytes, function* (n) {
    const toolCallId = `call-${n}`;
    yield started(toolCallId, `Step ${n}`, `${n} ${text}`);
    yield { type: 'toolUpdate', toolCallId, output: text };
    const result = { success: true, pastTenseMessage: `Did step ${n}`, toolOutput: text };
    yield { type: 'toolComplete', toolCallId, result };
  });
  turn.text(`${count} steps.`);
}

/** `calls-then-question N`: N calls, then a question that waits for its answer. */
export async function callsThenQuestion(turn: MockTurn, argument: string): Promise<void> {
  const [count = 1_000] = numbers(argument);
  await report(turn, count, 0, (n) => [started(`call-${n}`, `Step ${n}`, String(n)), completed(`call-${n}`)]);
  const answered = turn.answer('question');
  const title = 'Go on?';
  turn.emit({
    type: 'permissionRequest',
    request: { requestId: 'question', kind: 'permission', title, message: title },
  });
  await answered;
}

/** `confirm-long BYTES`: asks before it runs something of that length. */
export async function confirmLong(turn: MockTurn, argument: string): Promise<void> {
  const [bytes = 100_000] = numbers(argument);
  const lines = Array.from({ length: Math.ceil(bytes / 7) }, (_, n) => `line ${n}\n`).join('');
  const toolCallId = 'long';
  const answered = turn.answer(toolCallId);
  const display = {
    toolName: 'mock_run',
    displayName: 'Run',
    invocationMessage: 'Running it',
    toolInput: lines.slice(0, bytes),
  };
  const confirmation = { title: 'Run?', editable: true };
  turn.emit({ type: 'toolStart', toolCall: { toolCallId, ...display, status: 'pendingConfirmation', confirmation } });
  if ((await answered).approved) turn.emit(completed(toolCallId));
}

/** `many-notices N BYTES` */
export async function manyNotices(turn: MockTurn, argument: string): Promise<void> {
  const [count = 1_000, bytes = 20] = numbers(argument);
  await report(turn, count, bytes, (n) => [
    { type: 'notice', text: `Notice ${n} ${'x'.repeat(bytes)}`, severity: 'info' },
  ]);
  turn.text(`${count} notices.`);
}

/** `open-calls N`: N calls that run at the same time and never complete. */
export async function openCalls(turn: MockTurn, argument: string): Promise<void> {
  const [count = 1_000] = numbers(argument);
  await report(turn, count, 0, (n) => [started(`call-${n}`, `Step ${n}`, String(n))]);
  await turn.hang();
}

/** `open-questions N`: N questions at the same time. */
export async function openQuestions(turn: MockTurn, argument: string): Promise<void> {
  const [count = 1_000] = numbers(argument);
  await report(turn, count, 0, (n) => [
    {
      type: 'permissionRequest',
      request: { requestId: `question-${n}`, kind: 'question', title: `Question ${n}`, message: 'Well?' },
    },
  ]);
  await turn.hang();
}

/** `outer-call N`: a call that runs while N others start and complete, like that of a sub-agent; then it completes. */
export async function outerCall(turn: MockTurn, argument: string): Promise<void> {
  turn.emit(started('outer', 'The outer call', 'outer'));
  await manyCalls(turn, argument);
  const result = { success: true, pastTenseMessage: 'Did the outer call' };
  turn.emit({ type: 'toolComplete', toolCallId: 'outer', result });
}

async function report(
  turn: MockTurn,
  count: number,
  bytes: number,
  eventsOf: (n: number) => Iterable<AgentEvent>,
): Promise<void> {
  const burst = Math.min(BURST, Math.ceil(BURST_BYTES / (bytes + 1)));
  let events = 0;
  for (let n = 0; n < count; n++) {
    for (const event of eventsOf(n)) {
      turn.emit(event);
      if (++events % burst === 0) await turn.pause();
    }
  }
}

function started(toolCallId: string, invocationMessage: string, toolInput: string): AgentEvent {
  const display = { toolName: 'mock_step', displayName: 'Step', invocationMessage, toolInput };
  return {
    type: 'toolStart',
    toolCall: { toolCallId, ...display, status: 'running', confirmed: { how: 'notNeeded' } },
  };
}

function completed(toolCallId: string): AgentEvent {
  return { type: 'toolComplete', toolCallId, result: { success: true, pastTenseMessage: 'Did it' } };
}

function numbers(argument: string): number[] {
  return argument.split(' ').flatMap((word) => (/^\d{1,8}$/.test(word) ? [Number(word)] : []));
}
