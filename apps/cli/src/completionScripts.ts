import type { Flag } from './command.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly Flag[];
  readonly completes?: 'session' | readonly string[];
}

/** Sessions are fetched when they are completed; without a host nothing is completed. */
const LIST_SESSIONS = 'agenthost ls --limit 100 2>/dev/null';

export function completionScript(shell: string, commands: readonly CompletedCommand[]): string | undefined {
  if (shell === 'bash') return bash(commands);
  // zsh runs bash's completions unchanged.
  if (shell === 'zsh') return `autoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
  return shell === 'fish' ? fish(commands) : undefined;
}

function bash(commands: readonly CompletedCommand[]): string {
  const cases = commands.map(({ name, flags, completes }) => {
    const words = completes === 'session' ? `last $(${LIST_SESSIONS} | cut -f1)` : (completes ?? []).join(' ');
    const valued = flags.filter(({ takesValue }) => takesValue);
    const choices = valued
      .filter((flag) => flag.choices)
      .map((flag) => `        ${flag.name}) words="${flag.choices?.join(' ')}" ;;`);
    const files = valued.filter((flag) => !flag.choices).map((flag) => flag.name);
    return [
      `    ${name})`,
      `      case "$prev" in`,
      ...choices,
      ...(files.length > 0 ? [`        ${files.join('|')}) return ;;`] : []),
      `        *) case "$cur" in`,
      `             -*) words="${flags.map((flag) => flag.name).join(' ')}" ;;`,
      `             *) words="${words}" ;;`,
      `           esac ;;`,
      `      esac ;;`,
    ].join('\n');
  });
  return `# agenthost completion for bash
_agenthost() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} --help --version" -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _agenthost agenthost
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, summary, flags, completes }) => {
    const used = `-n '__fish_seen_subcommand_from ${name}'`;
    const words = completes === 'session' ? `(${LIST_SESSIONS} | cut -f1,5)` : (completes ?? []).join(' ');
    return [
      `complete -c agenthost -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
      ...(words === '' ? [] : [`complete -c agenthost ${used} -f -a ${quote(words)}`]),
      ...flags.map(({ name: flag, takesValue, help, choices }) =>
        [
          `complete -c agenthost ${used} -l ${flag.slice(2)}`,
          ...(takesValue ? ['-r'] : []),
          ...(choices ? [`-f -a ${quote(choices.join(' '))}`] : []),
          ...(help ? [`-d ${quote(help)}`] : []),
        ].join(' '),
      ),
    ];
  });
  return `# agenthost completion for fish\n${lines.join('\n')}\n`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
