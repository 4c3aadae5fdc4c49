// What the agent of the stage "work" does with each prompt: calls in a row, an edit that waits, a plan, silence.
import type { AgentEvent } from '@agenthost/host';
import type { Script } from '../../agents/scriptedAgent.ts';

const OUTPUT = Array.from({ length: 40 }, (_, n) => `packages/client/src/file-${n}.ts  ok`).join('\n');
const MORE = Array.from({ length: 48 }, (_, n) => `+  expect(ledger.sent(${n})).toBe(${n})`).join('\n');
const EDIT = `packages/client/src/sync/reconnect.ts
@@ -56,5 +56,53 @@
 export function resume(accepted: number) {
-  const highest = this.lastSent
-  return this.pending.filter((p) => p.clientSeq > highest)
+  const highest = accepted ?? 0
+  return this.pending.filter((p) => p.clientSeq > highest)
 }
 
${MORE}
`;

let calls = 0;

function* call(words: string, { command, fails = false }: { command?: string; fails?: boolean } = {}) {
  const toolCallId = `call-${++calls}`;
  yield {
    type: 'toolStart',
    toolCall: {
      toolCallId,
      toolName: 'tool',
      displayName: command ? 'Terminal' : 'Read File',
      invocationMessage: command ? `Running \`${command}\`` : `Reading \`${words}\``,
      ...(command && { toolKind: 'terminal' as const, toolInput: command }),
      status: 'running',
      confirmed: { how: 'notNeeded' },
    },
  } satisfies AgentEvent;
  if (command) yield { type: 'toolUpdate', toolCallId, output: `${OUTPUT}\n${words}\n` } satisfies AgentEvent;
  const pastTenseMessage = command ? `Ran \`${command}\`` : `Read \`${words}\``;
  yield {
    type: 'toolComplete',
    toolCallId,
    result: { success: !fails, pastTenseMessage, ...(command && { exitCode: fails ? 2 : 0 }) },
  } satisfies AgentEvent;
}

const PLAN =
  '- [x] Read the ledger\n- [x] Write a test that fails\n- [x] Find the wrong number\n- [ ] Use it in `reconnect()` (in progress)\n- [ ] Write the CHANGELOG line\n- [ ] Run all tests\n';

export const workScript: Script = async function* ({ text }, turn): AsyncIterable<AgentEvent> {
  if (text.startsWith('Edit')) {
    const toolCallId = `edit-${++calls}`;
    const answered = turn.answer(toolCallId);
    yield {
      type: 'toolStart',
      toolCall: {
        toolCallId,
        toolName: 'edit',
        displayName: 'Edit File',
        invocationMessage: 'Editing `packages/client/src/sync/reconnect.ts`',
        language: 'diff',
        toolInput: EDIT,
        status: 'pendingConfirmation',
        confirmation: {
          title: 'Edit `reconnect.ts`?',
          options: [
            { id: 'once', label: 'Allow once', kind: 'approve' },
            { id: 'always', label: 'Accept edits', kind: 'approve', explicit: true },
            { id: 'no', label: 'No', kind: 'deny' },
          ],
        },
      },
    };
    await answered;
  } else if (text.startsWith('Check')) {
    for (let n = 0; n < 12; n++) yield* call(`packages/client/src/file-${n}.ts`);
    yield* call('2 errors', { command: 'npm run types', fails: true });
    for (let n = 12; n < 20; n++) yield* call(`packages/client/src/file-${n}.ts`);
    yield* call('1 test failed', { command: 'npm test -- packages/client', fails: true });
    yield { type: 'text', text: 'The types are wrong in two places, and one test fails for that reason.' };
    yield* call('built in 4.1 s', { command: 'npm run build' });
    yield { type: 'text', text: 'The build works.' };
  } else if (text.startsWith('Plan')) {
    yield { type: 'plan', markdown: PLAN };
    yield { type: 'mode', mode: { id: 'acceptEdits', name: 'Accept edits' } };
    yield { type: 'text', text: 'Three steps are done; the fourth one is the change itself.' };
    yield { type: 'usage', usage: { cost: 0.8249, contextUsed: 82_000, contextSize: 200_000 } };
  } else if (text.startsWith('Think')) {
    yield { type: 'plan', markdown: PLAN };
    yield { type: 'usage', usage: { cost: 2.1, contextUsed: 191_000, contextSize: 200_000 } };
    await turn.forever();
  } else yield { type: 'text', text: `You said: ${text}` };
};
