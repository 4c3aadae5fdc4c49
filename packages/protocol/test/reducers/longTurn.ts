import * as fc from 'fast-check';
import type { SessionAction } from '../../src/types/actions.js';
import { SESSION } from './arbitraryActions.js';

export const TURN = 't1';

export type Step =
  | { readonly does: 'text'; readonly kind: 'markdown' | 'reasoning'; readonly chunks: readonly string[] }
  | { readonly does: 'notice'; readonly length: number }
  | { readonly does: 'start'; readonly waits: boolean }
  | { readonly does: 'answer' | 'print' | 'complete'; readonly which: number; readonly length: number };

const length = fc.oneof({ weight: 9, arbitrary: fc.nat(40) }, { weight: 1, arbitrary: fc.nat(60_000) });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant('text' as const),
    kind: fc.constantFrom('markdown' as const, 'reasoning' as const),
    chunks: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
  }),
  fc.record({ does: fc.constant('notice' as const), length }),
  { weight: 3, arbitrary: fc.record({ does: fc.constant('start' as const), waits: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom('answer' as const, 'print' as const, 'complete' as const),
      which: fc.nat(1_000),
      length,
    }),
  },
);

/** Enough steps that the window of a turn is left behind several times. */
export const steps = fc.array(step, { minLength: 900, maxLength: 1_500, size: 'max' });

/** What a host says of these steps: each id once, text for the last part only, nothing about a call that has settled. */
export function actionsOf(all: readonly Step[], { merged = false } = {}): SessionAction[] {
  const actions: SessionAction[] = [];
  const open: string[] = [];
  const turn = { session: SESSION, turnId: TURN };
  for (const [n, step] of all.entries()) {
    const base = { ...turn, at: n };
    const toolCallId = 'which' in step ? open[step.which % Math.max(open.length, 1)] : undefined;
    if (step.does === 'text') {
      const id = `p${n}`;
      actions.push({ ...base, type: 'session/responsePart', part: { kind: step.kind, id, content: '' } });
      const type = step.kind === 'markdown' ? 'session/delta' : 'session/reasoning';
      for (const content of merged ? [step.chunks.join('')] : step.chunks) {
        actions.push({ ...base, type, partId: id, content });
      }
    } else if (step.does === 'notice') {
      const part = { kind: 'notice', id: `n${n}`, text: 'x'.repeat(step.length), severity: 'info' } as const;
      actions.push({ ...base, type: 'session/responsePart', part });
    } else if (step.does === 'start') {
      const call = { toolCallId: `c${n}`, toolName: 'bash', displayName: 'Bash', invocationMessage: `Call ${n}` };
      const status = step.waits
        ? ({ status: 'pendingConfirmation', confirmation: {} } as const)
        : ({ status: 'running', confirmed: { how: 'policy' } } as const);
      actions.push({ ...base, type: 'session/toolStart', toolCall: { ...call, ...status } });
      open.push(call.toolCallId);
    } else if (toolCallId !== undefined) {
      const text = 'x'.repeat(step.length);
      const approved = step.length % 3 > 0;
      if (step.does === 'answer') actions.push({ ...base, type: 'session/toolCallConfirmed', toolCallId, approved });
      if (step.does === 'print') actions.push({ ...base, type: 'session/toolUpdate', toolCallId, output: text });
      if (step.does !== 'complete') continue;
      // Waiting or not: after both it has settled.
      actions.push({ ...base, type: 'session/toolCallConfirmed', toolCallId, approved: true });
      const result = { success: true, pastTenseMessage: 'Did it', toolOutput: text };
      actions.push({ ...base, type: 'session/toolComplete', toolCallId, result });
      open.splice(open.indexOf(toolCallId), 1);
    }
  }
  return actions;
}
