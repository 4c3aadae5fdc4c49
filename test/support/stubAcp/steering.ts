import { setTimeout as delay } from 'node:timers/promises';
import { current, type Params, remember, text, update } from './conversation.ts';

/** When the host has long given up on an answer, for tests that let it wait less. */
const LATE_MS = 700;

let turn = { left: 0, end: Promise.withResolvers<string>() };

/** `wait-steering N`: a turn that ends when N messages were put into it, or when one was not taken. */
export async function waitSteering(rest: string): Promise<void> {
  turn = { left: Number(rest) || 1, end: Promise.withResolvers() };
  current.cancelled.signal.addEventListener('abort', () => turn.end.resolve('Stopped.'));
  text('Waiting. ');
  text(await turn.end.promise);
}

const notTaken = () => void setImmediate(() => turn.end.resolve('Not taken.'));

/** By the first word of the message: how `_session/steering` is answered. */
const answers: Record<string, () => Promise<unknown> | unknown> = {
  refuse: () => {
    notTaken();
    throw Object.assign(new Error('not now'), { code: -32603 });
  },
  idle: () => {
    notTaken();
    return { outcome: 'promptRequired', reason: 'noRunningTurn' };
  },
  failed: () => {
    notTaken();
    return { outcome: 'failed' };
  },
  odd: () => {
    notTaken();
    return { outcome: 7 };
  },
  never: () => {
    notTaken();
    return new Promise(() => {});
  },
  hang: () => new Promise(() => {}),
  late: async () => {
    notTaken();
    await delay(LATE_MS);
    setTimeout(() => update('session_info_update', { title: 'answered late' }), 50);
    return { outcome: 'injected' };
  },
  crash: () => {
    process.exit(3);
  },
};

export async function steer({ prompt }: Params): Promise<object> {
  const said = prompt[0]?.text ?? '';
  const [word = ''] = said.split(' ');
  const answer = Object.hasOwn(answers, word) ? answers[word] : undefined;
  if (answer) return (await answer()) as object;
  if (word === 'slow') await delay(200);
  remember(`steered: ${said}`);
  setImmediate(() => {
    text(`Steered: ${said}. `);
    if (--turn.left === 0) turn.end.resolve('Done.');
  });
  return { outcome: 'injected' };
}
