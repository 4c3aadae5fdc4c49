/** Who may import whom. ARCHITECTURE.md shows the same table; `imports.test.ts` holds both against the code. */
export const IMPORT_TABLE: Readonly<Record<string, ImportRule>> = {
  'packages/protocol': { may: ['zod'] },
  'packages/rpc': { may: [] },
  'packages/client': { may: ['@agenthost/protocol', '@agenthost/rpc'] },
  'packages/ahp': { may: ['@agenthost/client', '@agenthost/protocol', '@agenthost/rpc'] },
  'packages/sessions': { may: ['@agenthost/client', '@agenthost/protocol', '@preact/signals-core'] },
  'packages/host': {
    may: ['@agentclientprotocol/sdk', '@agenthost/protocol', '@agenthost/rpc', '@lydell/node-pty', 'ws', 'yaml', 'zod'],
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
    ],
    node: true,
  },
};

/** Inside the host, what each folder may import of the others: never back. Its top files see everything. */
export const HOST_LAYERS: Readonly<Record<string, readonly string[]>> = {
  server: ['protocol', 'state'],
  protocol: ['sessions', 'agents', 'sessionFs', 'state'],
  sessions: ['agents', 'customizations', 'index', 'sessionFs', 'state'],
  customizations: ['agents', 'sessionFs'],
  index: [],
  agents: ['sessionFs'],
  sessionFs: [],
  state: [],
};

/** Top files of the host that its folders may use. */
export const HOST_SHARED: readonly string[] = ['hostLog', 'describeIssues', 'version'];

export interface ImportRule {
  /** Packages of this repository and of npm. Type-only imports count too. */
  readonly may: readonly string[];
  /** Whether `node:` modules are allowed; packages without run in browsers as well. */
  readonly node?: boolean;
}
