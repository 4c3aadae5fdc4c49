import {
  AGENTS,
  CAPABILITIES,
  type Capability,
  type Outcomes,
  type TableAgent,
} from '../test/agents/support/capabilities.ts';

const BEGIN = '<!-- agent-table: npm run agent-table writes this from test/agents/capabilities.json -->';
const END = '<!-- agent-table ends -->';

/** What the tests have seen, as a table of agents and capabilities. */
export function agentTable(outcomes: Outcomes): string {
  const agents = Object.entries(AGENTS) as [TableAgent, string][];
  const rows = Object.entries(CAPABILITIES).map(([name, text]) => [
    text,
    ...agents.map(([agent]) => cell(outcomes[agent]?.[name as Capability])),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(['', ...agents.map(([, name]) => name)]),
    `|${'---|'.repeat(agents.length + 1)}`,
    ...rows.map(line),
  ].join('\n');
}

function cell(value: string | undefined): string {
  if (value === undefined) return 'not tried';
  const [outcome = '', note] = value.split(/: (.*)/s);
  const word = outcome === 'yes' ? 'yes' : 'not offered';
  return note === undefined ? word : `${word}: ${note}`;
}

/** The page with this table between the markers. */
export function withAgentTable(page: string, outcomes: Outcomes): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error('docs/agents.md has no place for the table of agents.');
  return `${page.slice(0, begin)}${BEGIN}\n\n${agentTable(outcomes)}\n\n${page.slice(end)}`;
}
