import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What agents can do, as the table in docs/agents.md says it, in its order. */
export const CAPABILITIES = {
  asks: 'asks before it runs a command, changes a file or writes elsewhere',
  input: 'an approval shows the whole input, of an edit the diff',
  reason: 'the reason of a denial reaches its model',
  questionForm: 'asks questions as a form',
  clientTool: 'calls tools of clients',
  steering: 'takes messages into a running turn',
  subAgents: 'says which calls a sub-agent makes',
  cancel: 'stops within five seconds',
  crash: 'a crash ends its turn; it continues afterwards',
  resume: 'resumes its session after a restart',
  fork: 'a fork remembers',
  handOver: 'takes over the conversation of another agent',
  mode: 'changes its mode in a session',
  usage: 'reports the usage of each turn',
  imageIn: 'its model gets attached images',
  imageOut: 'images from its tools are shown',
  compaction: 'reports the summary of a compaction',
  nativeRead: 'sessions of terminals are listed and read',
  nativeContinue: 'sessions of terminals are continued',
  delete: 'its own copy of a conversation is deleted on request',
  logIn: 'says that a log-in is missing',
} as const;

export type Capability = keyof typeof CAPABILITIES;

/** The agents of the table, by provider. */
export const AGENTS = {
  copilot: 'GitHub Copilot',
  claude: 'Claude Code',
  codex: 'Codex',
  gemini: 'Gemini CLI',
  opencode: 'opencode',
  'copilot-acp': 'Copilot CLI',
} as const;

export type TableAgent = keyof typeof AGENTS;

/** By agent and capability: `yes` or `no`, with a few words after a colon. What is absent was not tried. */
export type Outcomes = { readonly [A in TableAgent]?: { readonly [C in Capability]?: string } };

export const OUTCOMES_FILE = join(import.meta.dirname, '../capabilities.json');

export function readOutcomes(): Outcomes {
  return JSON.parse(readFileSync(OUTCOMES_FILE, 'utf8')) as Outcomes;
}

/**
 * Records what a test of a real agent has shown; call it after the test's last check. `npm run agent-table` then writes the table in
 * docs/agents.md. In CI nothing is written: a test fails there when the tree says something else.
 *
 * @example
 * ```ts
 * recordCapability('claude', 'clientTool', 'yes');
 * recordCapability('codex', 'fork', 'yes', 'by text');
 * ```
 */
export function recordCapability(
  agent: TableAgent,
  capability: Capability,
  outcome: 'yes' | 'no',
  note?: string,
): void {
  const value = note === undefined ? outcome : `${outcome}: ${note}`;
  const outcomes = readOutcomes();
  if (outcomes[agent]?.[capability] === value) return;
  if (process.env['CI']) {
    const recorded = outcomes[agent]?.[capability] ?? 'not tried';
    throw new Error(
      `${AGENTS[agent]}, "${CAPABILITIES[capability]}": this run says "${value}", test/agents/capabilities.json "${recorded}". Run this test without CI, then npm run agent-table, and commit both files.`,
    );
  }
  const next = { ...outcomes, [agent]: { ...outcomes[agent], [capability]: value } };
  writeFileSync(OUTCOMES_FILE, `${JSON.stringify(inOrder(next), null, 2)}\n`);
}

/** Cases of the agent contract that show a capability. */
const CONTRACT_CASES: Readonly<Record<string, Capability>> = {
  'is idle within five seconds after an abort mid-stream': 'cancel',
  'resumes by its native id': 'resume',
};

/** The same for a case of the agent contract that has passed; most of them are in no row of the table. */
export function recordContractCase(agent: TableAgent, name: string): void {
  const capability = CONTRACT_CASES[name];
  if (capability) recordCapability(agent, capability, 'yes');
}

function inOrder(outcomes: Outcomes): Outcomes {
  const names = Object.keys(CAPABILITIES) as Capability[];
  return Object.fromEntries(
    (Object.keys(AGENTS) as TableAgent[]).map((agent) => {
      const own = outcomes[agent] ?? {};
      return [agent, Object.fromEntries(names.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]])))];
    }),
  );
}
