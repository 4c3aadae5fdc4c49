import type { AgentEvent, AgentSession, Decision } from '@agenthost/host';
import type { EventRecorder } from './eventRecorder.js';

/** How long a case waits for something that must not happen. */
const QUIET_MS = 50;

/** Sends, and returns the id of the n-th call that waits for an answer. It may have been announced as running before. */
export async function ask(session: AgentSession, recorder: EventRecorder, prompt: string, n = 1): Promise<string> {
  await session.send({ text: prompt });
  const asked = () =>
    recorder.of('toolStart').flatMap(({ toolCall }) => (toolCall.status === 'running' ? [] : [toolCall.toolCallId]));
  await recorder.until(`call number ${n} that waits`, () => asked().length >= n);
  return asked()[n - 1] ?? '';
}

export async function startEndless(session: AgentSession, recorder: EventRecorder, prompt: string): Promise<void> {
  approveAll(session);
  await session.send({ text: prompt });
  await recorder.until('text or output', () => recorder.text() + recorder.output() !== '');
}

export async function runApproved(session: AgentSession, recorder: EventRecorder, prompt: string): Promise<void> {
  approveAll(session);
  await session.send({ text: prompt });
  await ended(recorder);
}

function approveAll(session: AgentSession): void {
  const approved: Decision = { approved: true };
  session.onEvent((event) => {
    if (event.type === 'toolStart' && event.toolCall.status === 'pendingConfirmation') {
      session.answer(event.toolCall.toolCallId, approved);
    } else if (event.type === 'permissionRequest') session.answer(event.request.requestId, approved);
  });
}

/** The events of a session, as opposed to those of a turn, may come at any time. */
function isOfTurn({ type }: AgentEvent): boolean {
  return !['title', 'mode', 'settings', 'checkpoint', 'commands'].includes(type);
}

/** The turn's end, after making sure that no event of the turn follows it. */
export async function ended(recorder: EventRecorder): ReturnType<EventRecorder['end']> {
  const end = await recorder.end();
  await quiet();
  const late = recorder.events.slice(recorder.events.indexOf(end) + 1).filter(isOfTurn);
  expectEqual(late, []);
  return end;
}

/** The last event of a turn. */
export function lastType(recorder: EventRecorder): string | undefined {
  return recorder.events.findLast(isOfTurn)?.type;
}

export function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}

export async function expectRejected(promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.then(
    () => 'resolved',
    () => 'rejected',
  );
  expectEqual(outcome, 'rejected');
}

export function expectEqual(actual: unknown, expected: unknown): void {
  const [got, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (got !== wanted) throw new Error(`expected ${wanted?.slice(0, 500)}, got ${got?.slice(0, 500)}`);
}
