/** Who may import whom. ARCHITECTURE.md shows the same table; `imports.test.ts` holds both against the code. */
export const IMPORT_TABLE: Readonly<Record<string, ImportRule>> = {
  'packages/protocol': { may: ['zod'] },
  'packages/rpc': { may: [] },
  'packages/client': { may: ['@agenthost/protocol', '@agenthost/rpc'] },
  'packages/ahp': { may: ['@agenthost/client', '@agenthost/protocol', '@agenthost/rpc'] },
  'packages/sessions': { may: ['@agenthost/client', '@agenthost/protocol', '@preact/signals-core'] },
  'packages/host': {
    may: [
      '@agentclientprotocol/sdk',
      '@agenthost/protocol',
      '@agenthost/rpc',
      '@lydell/node-pty',
      'diff',
      'pg',
      'ws',
      'yaml',
      'zod',
    ],
    node: true,
  },
  'apps/web': {
    may: [
      '@agenthost/client',
      '@agenthost/protocol',
      '@agenthost/sessions',
      '@fontsource-variable/inter',
      '@fontsource-variable/jetbrains-mono',
      'anser',
      'diff',
      'lucide-react',
      'marked',
      'react',
      'react-dom',
      'shiki',
      'virtua',
    ],
  },
  'apps/cli': {
    may: [
      '@agenthost/ahp',
      '@agenthost/client',
      '@agenthost/host',
      '@agenthost/protocol',
      '@agenthost/rpc',
      '@agenthost/sessions',
      'ink',
      'react',
      'string-width',
    ],
    node: true,
  },
};

/**
 * The rooms of the host, and which other rooms each may import: never back. A room may always import the folder that it is in, and a
 * folder its own rooms. The top files import everything.
 */
export const HOST_LAYERS: Readonly<Record<string, readonly string[]>> = {
  server: ['connection', 'state'],
  'server/access': ['connection', 'storage/fs'],
  'server/sockets': ['connection', 'state'],
  connection: [
    'agents',
    'agents/install',
    'sessions',
    'sessions/folder',
    'sessions/turn',
    'state',
    'storage',
    'storage/artifacts',
    'storage/client',
    'storage/fs',
    'storage/log',
  ],
  sessions: [
    'agents',
    'agents/events',
    'customizations',
    'sessionIndex',
    'state',
    'storage',
    'storage/artifacts',
    'storage/fs',
    'storage/log',
    'storage/stateRoot',
  ],
  'sessions/transfer': [
    'sessions/content',
    'sessions/folder',
    'sessions/turn',
    'storage',
    'storage/artifacts',
    'storage/fs',
    'storage/log',
  ],
  'sessions/indexing': ['sessionIndex', 'sessions/history', 'storage', 'storage/log'],
  'sessions/history': ['sessions/turn', 'storage', 'storage/fs', 'storage/log'],
  'sessions/turn': ['agents', 'agents/events', 'sessions/content', 'state'],
  'sessions/content': ['agents', 'agents/events', 'storage/artifacts', 'storage/fs', 'storage/log'],
  'sessions/folder': [
    'agents',
    'agents/events',
    'customizations',
    'storage',
    'storage/artifacts',
    'storage/fs',
    'storage/log',
  ],
  move: [
    'cluster',
    'customizations',
    'database',
    'server/access',
    'storage',
    'storage/fs',
    'storage/log',
    'storage/stateRoot',
  ],
  cluster: ['database', 'server', 'sessions', 'sessions/indexing', 'sessions/turn', 'state', 'storage', 'storage/fs'],
  database: ['customizations', 'server/access', 'sessionIndex', 'state', 'storage', 'storage/fs', 'storage/log'],
  sessionIndex: [],
  customizations: ['agents', 'agents/events', 'storage/fs'],
  agents: ['storage/fs', 'storage/stateRoot'],
  'agents/acp': ['agents/events', 'agents/install', 'agents/orphans', 'processes', 'storage/fs'],
  'agents/acp/turn': ['agents', 'agents/events', 'storage/fs'],
  'agents/copilot': ['agents/events', 'agents/install', 'agents/orphans', 'processes', 'storage/fs'],
  'agents/shell': ['agents/events', 'processes', 'storage/fs', 'storage/stateRoot'],
  'agents/mock': ['agents/events', 'storage/stateRoot'],
  'agents/install': ['agents/orphans', 'processes', 'storage/stateRoot'],
  'agents/orphans': ['processes'],
  'agents/events': [],
  storage: [],
  'storage/client': ['storage/fs', 'storage/log'],
  'storage/stateRoot': ['processes', 'storage/fs'],
  'storage/artifacts': ['storage/fs'],
  'storage/log': ['storage/fs'],
  'storage/fs': [],
  processes: [],
  state: [],
};

/** An agent's code stays in its folder: no other folder imports it. */
export const AGENT_ROOMS: readonly string[] = ['agents/acp', 'agents/copilot', 'agents/shell', 'agents/mock'];

/** Top files of the host that its folders may use. */
export const HOST_SHARED: readonly string[] = ['hostLog', 'describeIssues', 'version'];

export interface ImportRule {
  /** Packages of this repository and of npm. Type-only imports count too. */
  readonly may: readonly string[];
  /** Whether `node:` modules are allowed; packages without run in browsers as well. */
  readonly node?: boolean;
}
