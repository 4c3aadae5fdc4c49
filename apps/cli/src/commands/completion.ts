import { defineCommand } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { completionScript, SHELLS } from '../completionScripts.js';

export const command = defineCommand({
  name: 'completion',
  summary: 'print completion for a shell',
  usage: 'bash|zsh|fish',
  options: {},
  completes: SHELLS,
  examples: [
    'source <(agenthost completion bash)           # or put that line into ~/.bashrc',
    'source <(agenthost completion zsh)            # into ~/.zshrc, after compinit',
    'agenthost completion fish > ~/.config/fish/completions/agenthost.fish',
  ],
  run: async (_values, [shell]) => {
    const { COMMANDS } = await import('../commandTable.js');
    const loaded = await Promise.all(
      Object.entries(COMMANDS).map(async ([name, { summary, load }]) => ({ name, summary, ...(await load()).command })),
    );
    const script = completionScript(shell ?? '', loaded);
    if (script === undefined)
      throw usageError(`There is no completion for ${shell ?? 'no shell'}.`, `Give ${SHELLS.join(', ')}.`);
    process.stdout.write(script);
    return EXIT.ok;
  },
});
