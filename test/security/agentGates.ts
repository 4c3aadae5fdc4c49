import type { GateRow } from './gates.js';

const ACP = 'packages/host/src/agents/acp';
const MISBEHAVIOUR = 'packages/host/test/agents/acp/acpMisbehaviour.test.ts';
const OPTIONS = 'test/e2e/messages/permissionOptions.test.ts';
const APPROVALS = 'test/e2e/messages/approvals.test.ts';

/** What bounds agents of the Agent Client Protocol, and what keeps an approval from being more than it seems. */
export const AGENT_GATES: readonly GateRow[] = [
  [
    'agents',
    'the runner lets in who does not know its secret',
    'packages/host/src/agents/runner/runnerServer.ts',
    "head['type'] !== 'hello' || !isSame(head['secret'], this.#options.secret)",
    "head['type'] !== 'hello'",
    'packages/host/test/agents/runner/runnerServer.test.ts',
    'lets in only who knows the secret',
  ],
  [
    'agents',
    'newlines without an end are read',
    `${ACP}/turn/messageStream.ts`,
    'if (this.#turnBytes <= maxTurnBytes) return true;',
    'return true;',
    MISBEHAVIOUR,
    'when it floods',
  ],
  [
    'agents',
    'a line is only reported at its end',
    'packages/rpc/src/transports/lineSplitter.ts',
    'this.#options.onOversizeLine();\n      return;',
    'return;',
    'packages/rpc/test/lineSplitter.test.ts',
    'before its end',
  ],
  [
    'agents',
    'a tool may be silent for ever',
    `${ACP}/turn/turnSilence.ts`,
    'const isInTime = isInTool && performance.now() - heardAt < toolLimitMs;',
    'const isInTime = isInTool;',
    MISBEHAVIOUR,
    'for far too long',
  ],
  [
    'agents',
    'a plain answer means an option that lasts',
    `${ACP}/permissionOptions.ts`,
    "return kind === 'allow_once' || kind === 'reject_once';",
    "return kind !== 'unknown';",
    OPTIONS,
    'only "always" is offered',
  ],
  [
    'agents',
    'a plain approval is taken where nothing plain is offered',
    'packages/host/src/sessions/preconditions.ts',
    "return isMissing ? refuse('optionNeeded') : undefined;",
    'return undefined;',
    OPTIONS,
    'only "always" is offered',
  ],
  [
    'agents',
    'what an agent says beside the input is not shown',
    `${ACP}/turn/callInput.ts`,
    "isAsked ? contentTexts(fields).join('\\n') : ''",
    "''",
    APPROVALS,
    'in its content',
  ],
  [
    'agents',
    'nobody is shown what is asked between two turns',
    `${ACP}/acpSession.ts`,
    'const isLate = !this.#isInstructed ||',
    'const isLate = true ||',
    'packages/host/test/agents/acp/acpSession.test.ts',
    'for a question after the end of a turn',
  ],
  [
    'agents',
    'a client says that its turn is the agent’s',
    'packages/host/src/sessions/turn/actionIntake.ts',
    'privateApart(withoutOrigin(sent))',
    'privateApart(sent)',
    'test/e2e/agents/ownTurns.test.ts',
    'can not be claimed',
  ],
];
