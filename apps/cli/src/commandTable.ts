import type { CommandModule } from './command.js';

interface Entry {
  readonly summary: string;
  /** Loaded on use: the others would only slow down the start. */
  readonly load: () => Promise<{ readonly command: CommandModule }>;
}

/** Every command, in the order of the help. */
export const COMMANDS: Readonly<Record<string, Entry>> = {
  serve: { summary: 'start a host on this machine and print its link', load: () => import('./commands/serve.js') },
  ls: { summary: 'list sessions', load: () => import('./commands/ls.js') },
  new: { summary: 'create a session', load: () => import('./commands/new.js') },
  send: { summary: 'send a message and print the answer while it streams', load: () => import('./commands/send.js') },
  input: { summary: 'type into the command that runs in a session', load: () => import('./commands/session/input.js') },
  attach: { summary: 'drive sessions in the terminal', load: () => import('./commands/attach.js') },
  term: {
    summary: "a shell in a session's folder on the host, shared with everybody on the session",
    load: () => import('./commands/session/term.js'),
  },
  log: { summary: 'print a conversation', load: () => import('./commands/log.js') },
  changes: {
    summary: 'list the files that a session changed, as git sees them',
    load: () => import('./commands/session/changes.js'),
  },
  diff: { summary: 'print what a session changed, line by line', load: () => import('./commands/session/diff.js') },
  restore: {
    summary: 'bring files of a session back to how they were before a turn',
    load: () => import('./commands/session/restore.js'),
  },
  commit: { summary: 'commit what a session changed', load: () => import('./commands/session/commit.js') },
  merge: {
    summary: 'merge the branch of a session into its base',
    load: () => import('./commands/session/merge.js'),
  },
  push: {
    summary: 'push the branch of a session, and open a pull request',
    load: () => import('./commands/session/push.js'),
  },
  search: { summary: 'find sessions by their text', load: () => import('./commands/search.js') },
  fork: { summary: 'create a session with the turns of another', load: () => import('./commands/fork.js') },
  rename: { summary: 'rename a session', load: () => import('./commands/rename.js') },
  archive: { summary: 'archive or unarchive sessions', load: () => import('./commands/archive.js') },
  rm: { summary: 'delete sessions', load: () => import('./commands/rm.js') },
  prune: { summary: 'delete old archived sessions', load: () => import('./commands/prune.js') },
  export: { summary: 'write a session to a file', load: () => import('./commands/export.js') },
  import: { summary: 'create a session from an exported one', load: () => import('./commands/import.js') },
  acp: {
    summary: 'be an agent of an editor that speaks ACP: its threads are sessions of the host',
    load: () => import('./commands/stdio/acp.js'),
  },
  mcp: {
    summary: 'be an MCP server: other agents start and supervise sessions of the host',
    load: () => import('./commands/stdio/mcp.js'),
  },
  agents: { summary: 'list agents, install and remove them', load: () => import('./commands/agents.js') },
  audit: { summary: 'list who did what, when, from which device', load: () => import('./commands/audit.js') },
  webhook: {
    summary: 'have the host tell other programs of events, by HTTP',
    load: () => import('./commands/owner/webhook.js'),
  },
  pair: {
    summary: 'let a phone or another device in, with a code that works once',
    load: () => import('./commands/pair.js'),
  },
  share: { summary: 'print a link with which others can read a session', load: () => import('./commands/share.js') },
  token: { summary: 'show or change the tokens of the local host', load: () => import('./commands/token.js') },
  service: {
    summary: 'run a host in the background, from login on',
    load: () => import('./commands/service.js'),
  },
  cluster: {
    summary: 'show the hosts that share a database, and drain one',
    load: () => import('./commands/cluster.js'),
  },
  move: {
    summary: 'copy all sessions between a state folder and a database',
    load: () => import('./commands/move.js'),
  },
  doctor: { summary: 'find problems here, and fix them', load: () => import('./commands/doctor.js') },
  completion: { summary: 'completion for bash, zsh or fish', load: () => import('./commands/completion.js') },
};

export function findCommand(name: string): Entry | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

export function mainHelp(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length));
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`);
  return `agenthost: run AI coding agents, and share their sessions between any number of clients

Usage: agenthost [COMMAND] [flags]

Without a command it starts a host and prints its link, as serve does; if one runs already, it says where.

${rows.join('\n')}

agenthost COMMAND --help shows what a command takes, with examples; agenthost --version the version.
A SESSION is its URI, its id, the beginning of its id (at least 4 characters), or last: the one that changed last.
Exit codes: docs/cli.md.
`;
}
