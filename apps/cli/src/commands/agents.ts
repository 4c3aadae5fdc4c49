import { agents } from '../agents.js';
import { AGENTS_HELP } from '../agentsOptions.js';
import { type CommandModule, flagsIn } from '../command.js';

export const command: CommandModule = {
  help: AGENTS_HELP,
  flags: flagsIn(AGENTS_HELP),
  completes: ['add', 'rm'],
  run: agents,
};
