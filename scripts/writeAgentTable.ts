// Writes the table of agents and capabilities into docs/agents.md, from what the tests of real agents have recorded.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOutcomes } from '../test/agents/support/capabilities.ts';
import { withAgentTable } from './agentTable.ts';

const file = join(import.meta.dirname, '../docs/agents.md');
writeFileSync(file, withAgentTable(readFileSync(file, 'utf8'), readOutcomes()));
console.log('wrote the table of agents in docs/agents.md');
