// What the agents of the demo host do with each prompt: every kind of part that a conversation can have, in a believable story.
import type { AgentEvent } from '@agenthost/host';
import type { FileChangeSummary, ToolCallResult } from '@agenthost/protocol';
import type { Script } from '../agents/scriptedAgent.ts';

const DIFF = `--- a/packages/client/src/sync/writeAhead.ts
+++ b/packages/client/src/sync/writeAhead.ts
@@ -84,4 +84,6 @@ resume()
   resume(accepted: Record<Uri, number>): Action[] {
-    const highest = this.lastSent
-    return this.pending.filter((p) => p.clientSeq > highest)
+    // The host's word, not ours: what we sent may never have arrived.
+    const highest = accepted[this.session] ?? 0
+    this.pending = this.pending.filter((p) => p.clientSeq > highest)
+    return this.pending
   }
@@ -131,3 +133,2 @@ push()
   push(action: Action) {
-    this.lastSent = action.clientSeq
     this.pending.push(action)
`;

const FAILED_RUN = [
  '\x1b[2m RUN  v4.2.1 ~/code/agenthost\x1b[0m',
  '',
  ' \x1b[31m❯\x1b[0m packages/client/test/reconnect.test.ts \x1b[2m(6 tests | \x1b[31m1 failed\x1b[0m\x1b[2m) 312ms\x1b[0m',
  '   \x1b[32m✓\x1b[0m resumes with replay within the buffer',
  '   \x1b[32m✓\x1b[0m falls back to a snapshot beyond it',
  '   \x1b[31m× [WA7] sends a pending message exactly once\x1b[0m \x1b[2m48ms\x1b[0m',
  "     \x1b[31m→ expected [ 'm1', 'm2', 'm2' ] to deeply equal [ 'm1', 'm2' ]\x1b[0m",
  '',
  ' \x1b[1mTests  \x1b[31m1 failed\x1b[0m | \x1b[1;32m5 passed\x1b[0m \x1b[2m(6)\x1b[0m',
].join('\n');

const RUNNING = [
  '\x1b[2m> agenthost@0.9.0 test\x1b[0m',
  '\x1b[2m> vitest run packages/client\x1b[0m',
  '',
  ' \x1b[32m✓\x1b[0m packages/client/test/writeAhead.test.ts \x1b[2m(31 tests) 188ms\x1b[0m',
  ' \x1b[32m✓\x1b[0m packages/client/test/reconnect.test.ts \x1b[2m(6 tests) 294ms\x1b[0m',
  ' \x1b[32m✓\x1b[0m packages/client/test/subscriptions.test.ts \x1b[2m(18 tests) 97ms\x1b[0m',
  ' \x1b[33m❯\x1b[0m packages/client/test/convergence.test.ts \x1b[2m1,204 of 5,000 histories\x1b[0m',
].join('\n');

let calls = 0;

function call(
  message: string,
  result: ToolCallResult,
  extra: { terminal?: string; output?: string } = {},
): AgentEvent[] {
  const toolCallId = `call-${++calls}`;
  const kind = extra.terminal === undefined ? {} : ({ toolKind: 'terminal', toolInput: extra.terminal } as const);
  return [
    {
      type: 'toolStart',
      toolCall: {
        toolCallId,
        toolName: 'tool',
        displayName: 'Tool',
        invocationMessage: message,
        status: 'running',
        confirmed: { how: 'notNeeded' },
        ...kind,
      },
    },
    ...(extra.output === undefined ? [] : [{ type: 'toolUpdate', toolCallId, output: extra.output } as const]),
    { type: 'toolComplete', toolCallId, result },
  ];
}

const past = (pastTenseMessage: string): ToolCallResult => ({ success: true, pastTenseMessage });
const text = (content: string): AgentEvent => ({ type: 'text', text: content });

export function changesIn(folder: string, insertions: number, deletions: number): FileChangeSummary[] {
  return [
    { uri: `${folder}/packages/client/src/sync/writeAhead.ts`, insertions: Math.ceil(insertions / 2), deletions },
    { uri: `${folder}/packages/client/test/reconnect.test.ts`, insertions: Math.floor(insertions / 2), deletions: 0 },
  ];
}

/** Ends with a question for a command; runs it when it is allowed, and then never ends. */
const fixReconnect = (folder: string): Script =>
  async function* (_message, turn) {
    yield {
      type: 'reasoning',
      text: 'The ledger counts what was **sent**.\n\nWhat counts is what the host *accepted*.',
    };
    yield {
      type: 'plan',
      markdown:
        '- [x] Pin it down with a test\n- [x] Find where the number comes from\n- [ ] Use it in `reconnect()` (in progress)\n- [ ] Write the CHANGELOG line\n',
    };
    yield* call('Searching', past('Searched for `acceptedClientSeq`'));
    yield* call('Reading', past('Read `packages/client/src/sync/writeAhead.ts`'));
    yield* call('Reading', {
      ...past('Read `packages/client/src/reconnect.ts`'),
      toolOutput: 'export function resume() {}\n',
    });
    yield text(
      'I have a suspicion: `resume()` trusts what the client *sent*, not what the host *accepted*. Before I change anything, here is a test that pins it down.\n',
    );
    yield* call('Editing', past('Added a test to `reconnect.test.ts`'));
    yield* call(
      'Running the tests',
      { success: false, pastTenseMessage: 'Ran it', exitCode: 1 },
      {
        terminal: 'npx vitest run packages/client -t reconnect',
        output: FAILED_RUN,
      },
    );
    yield text(
      'It fails for the right reason. Where the number comes from:\n\n' +
        '```ts\nconst { acceptedClientSeq } = await peer.request("reconnect", { clientId })\nfor (const ledger of ledgers) send(ledger.resume(acceptedClientSeq))\n```\n\n' +
        'So the fix is to take the host’s number as the only truth, and to drop `lastSent` altogether.\n',
    );
    const uri = `${folder}/packages/client/src/sync/writeAhead.ts`;
    const content = [{ type: 'fileEdit' as const, uri, insertions: 4, deletions: 3, diff: DIFF }];
    yield* call('Editing', { ...past('Edited `writeAhead.ts`'), content });
    yield { type: 'changes', changes: changesIn(folder, 47, 12) };
    yield { type: 'usage', usage: { inputTokens: 82_000, outputTokens: 900, cost: 0.82 } };
    yield { type: 'activity', activity: 'Wants to run npm test' };
    const toolCallId = 'run-tests';
    const answered = turn.answer(toolCallId);
    const base = {
      toolCallId,
      toolName: 'run',
      displayName: 'Run',
      invocationMessage: 'Running `npm test`',
      toolKind: 'terminal',
      toolInput: 'npm test -- --run packages/client',
    } as const;
    yield {
      type: 'toolStart',
      toolCall: {
        ...base,
        status: 'pendingConfirmation',
        confirmation: {
          title: 'Run `npm test`?',
          editable: true,
          options: [
            { id: 'once', label: 'Allow once', kind: 'approve' },
            { id: 'session', label: 'Always in this session', kind: 'approve' },
            { id: 'deny', label: 'Deny', kind: 'deny' },
          ],
        },
      },
    };
    const { approved } = await answered;
    if (!approved) return;
    yield { type: 'activity', activity: 'Running npm test' };
    yield { type: 'toolUpdate', toolCallId, output: RUNNING };
    yield text(
      'While the random histories run: the 37 other tests of the package pass, among them `[WA7]`, which failed before. I’ll also look at whether `forkSession` copies the ledger, since it',
    );
    await turn.forever();
  };

const answerWithEverything: Script = function* () {
  yield { type: 'reasoning', text: 'A look at all there is.' };
  yield { type: 'notice', severity: 'info', text: 'The host restarted during this turn.' };
  yield { type: 'notice', severity: 'warning', text: 'The model was busy; this took two attempts.' };
  yield* call('Reading the rules', past('Read `pricing/rules.yaml`'));
  yield* call('Fetching', { success: false, pastTenseMessage: 'Could not fetch', error: { message: 'no network' } });
  yield text(
    [
      '# Pricing, in short',
      'Every price goes through **three** rules, in _this_ order, ~~never another~~:',
      '1. the list price\n2. the customer’s discount\n   - by volume\n   - by contract\n3. tax',
      '- [x] read\n- [ ] written down',
      '> Rounding happens once, at the end.',
      '| rule | since | file |\n|:--|--:|:-:|\n| list | 2019 | `list.ts` |\n| discount | 2021 | `discount.ts` |',
      '```python\ndef total(cart):\n    return round(sum(p.net * (1 + p.tax) for p in cart), 2)  # once\n```',
      'See [the rules](https://example.com/rules) or <mailto:pricing@example.com>. ![a chart](https://example.com/chart.png)',
      'Press <kbd>Ctrl</kbd> <kbd>K</kbd>; the total is $t = \\sum_i p_i (1 + r_i)$.[^1]',
      '$$\n\\frac{\\partial t}{\\partial p_i} = 1 + r_i\n$$',
      '```diff\n-return net * tax\n+return round(net * (1 + tax), 2)\n```',
      '[^1]: Rounded *once*.',
      '---',
      '## What is left\nNothing.',
    ].join('\n\n'),
  );
};

const asks = (
  question: AgentEvent & { type: 'permissionRequest' },
  activity: string,
  changes: FileChangeSummary[],
): Script =>
  async function* (_message, turn) {
    yield text('I looked at both; this is for you to say.');
    if (changes.length > 0) yield { type: 'changes', changes };
    yield { type: 'activity', activity };
    const answered = turn.answer(question.request.requestId);
    yield question;
    await answered;
  };

const busy = (activity: string, changes: FileChangeSummary[]): Script =>
  async function* (_message, turn) {
    yield { type: 'activity', activity };
    yield { type: 'changes', changes };
    yield {
      type: 'toolStart',
      toolCall: {
        toolCallId: `call-${++calls}`,
        toolName: 'edit',
        displayName: 'Edit',
        invocationMessage: activity,
        status: 'running',
        confirmed: { how: 'notNeeded' },
      },
    };
    await turn.forever();
  };

const done = (answer: string, changes: FileChangeSummary[] = []): Script =>
  function* () {
    yield text(answer);
    if (changes.length > 0) yield { type: 'changes', changes };
  };

/** By the first words of the prompt; the folder is a `file:` URI. */
export const demoScripts = (folder: string): ReadonlyMap<string, Script> =>
  new Map<string, Script>([
    ['After a reconnect', fixReconnect(folder)],
    ['Page older turns', busy('Editing eventLog.ts', changesIn(folder, 212, 38))],
    ['Freeze the v1', done('Added 14 compile-time checks.', changesIn(folder, 386, 4))],
    ['Why does vitest', done('It exits 0 after 41 s: nothing hangs.')],
    [
      'Move checkout',
      asks(
        {
          type: 'permissionRequest',
          request: {
            requestId: 'flow',
            kind: 'question',
            title: 'Which payment flow should stay?',
            message: 'Both are in use, and one of them has to go.',
            options: [
              { id: 'redirect', label: 'Redirect to the provider', description: 'What production uses today' },
              { id: 'embedded', label: 'Embedded form', description: 'Behind the flag checkout_v2' },
            ],
            allowText: true,
          },
        },
        'Asks which payment flow to keep',
        changesIn(folder, 640, 511),
      ),
    ],
    [
      'Nightly',
      asks(
        {
          type: 'permissionRequest',
          request: {
            requestId: 'npmrc',
            kind: 'permission',
            title: 'Write outside the workspace?',
            message: 'Copilot wants to change `~/.npmrc`, which is not in `~/work/storefront`.',
            options: [
              { id: 'once', label: 'Allow once', kind: 'approve' },
              { id: 'session', label: 'Always in this session', kind: 'approve' },
              { id: 'deny', label: 'Deny', kind: 'deny' },
            ],
          },
        },
        'Wants to write ~/.npmrc',
        changesIn(folder, 31, 31),
      ),
    ],
    [
      'Cart total',
      function* () {
        yield text('I begin with the tests.');
        yield* call('Reading', past('Read `cart.ts`'));
        const message = 'Model quota exceeded. Retry at 15:00, or pick another model.';
        yield { type: 'error', error: { errorType: 'Quota', message } };
      },
    ],
    ['Explain the pricing', answerWithEverything],
    ['Terraform plan', busy('Running terraform plan', changesIn(folder, 174, 9))],
    ['Rotate the staging', rotate(folder)],
    ['Try Pulumi', done('It would take two weeks.')],
  ]);

/** A plan, a mode, costs, standing approvals and a diagram. */
function rotate(folder: string): Script {
  return function* () {
    yield { type: 'mode', mode: { id: 'acceptEdits', name: 'Accept edits' } };
    yield {
      type: 'plan',
      markdown: '- [x] Make the new key\n- [x] Sign it\n- [ ] Roll it out (in progress)\n- [ ] Revoke\n',
    };
    yield { type: 'approval', approval: { id: 'edits', covers: 'Changes of files', isRevocable: true } };
    yield { type: 'approval', approval: { id: 'kubectl', covers: 'Always allow, after: Bash: Run `kubectl rollout`' } };
    yield text(
      'Both files are written. This is how the certificate gets there:\n\n```mermaid\nflowchart LR\n  CA[Authority] -->|signs| V(Vault)\n  V --> S{Staging?}\n  S -->|yes| R[Roll out]\n  S -->|no| W[Wait]\n```\n\nWrote 2 files.',
    );
    yield { type: 'changes', changes: changesIn(folder, 18, 18) };
    yield { type: 'usage', usage: { contextUsed: 168_000, contextSize: 200_000, cost: 1.4 } };
  };
}
