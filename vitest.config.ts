import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

const source = (name: string, entry = 'src/index') =>
  fileURLToPath(new URL(`packages/${name}/${entry}.ts`, import.meta.url));

/**
 * What takes long, for `npm run test:sweeps`: every screen, every hostile text, every place of a file, every refusal of a start,
 * devices and log-ins in all their forms, installations, and several hosts in processes of their own.
 */
export const SWEEPS = [
  'apps/cli/test/{clusterDrain,clusterMove,clusterPlaces,database,databasePasswords,databaseRefusals}.test.ts',
  'apps/cli/test/{agentLogin,attachForm,completion,failures,tokenSpaces,webhook}.test.ts',
  'packages/host/test/agents/{acp/acpMisbehaviour,install/agentInstaller,shell/shellProcesses}.test.ts',
  'packages/host/test/cluster/{agentWait,api,clientTools,cutOff,drain,link{Trouble,Url},manyViewers,placement,places,push,spaces,statements,takeover,webhooks}.test.ts',
  'packages/host/test/contract/contractMutants.test.ts',
  'packages/host/test/database/databaseHost.test.ts',
  'packages/host/test/move/*.test.ts',
  'packages/host/test/sessions/history/history{Damage,Properties}.test.ts',
  'packages/host/test/storage/log/{logDamage,longDamage}.test.ts',
  'packages/host/test/work/{kills,land,landPush,manyFiles,manyFoundFiles,review,sessionWork,snapshots}.test.ts',
  'test/browser/{accessibility,devices,displays,exportSession,failures,forms,hostile,keyboard,lanPhone,login,longThings,providers,pushNotifications,queue,readOnlyLink,roles,sessionActions,terminalCalls,cluster/*}.test.ts',
  'test/browser/flow/{bugs,byKeys,diagrams,files,firstSettings,installing,prompts,review,terminals,toolGroups,webhooks}.test.ts',
  'test/acp/kills.test.ts',
  'test/ahp/{sessionFolder,versions}.test.ts',
  'test/e2e/api/{docs,openApi}.test.ts',
  'test/e2e/mcp/{changes,manySessions,restart}.test.ts',
  'test/e2e/agents/{agentFloods,agentLogin,agentMemory,agentSettings,agentUpdates,cancelledInstall,deletedCopies,floods,installedAgents,liveSteering,outlivingShell,ownTurns,runnerFlood,silentHost}.test.ts',
  'test/e2e/lists/{indexDamage,indexRebuild,manyNative}.test.ts',
  'test/e2e/push/longRace.test.ts',
  'test/e2e/sessions/sessionMemory.test.ts',
  'test/e2e/terminals/terminalFloods.test.ts',
  'test/e2e/watching/telemetry.test.ts',
  'test/e2e/work/{land,oddRepositories,several}.test.ts',
  'test/e2e/programs/{cluster,dev,dockerfile,packedPackages,readmeCommands,rollingRestart,serveLan,startFailures}.test.ts',
  'test/upgrade/{rollingUpgrade,spaces}.test.ts',
];

/** Tests that leave nothing behind share a worker: a new one for each file takes most of their time. */
const SHARING = [
  'packages/{protocol,rpc,client,ahp,sessions,host}/test/**/*.test.ts',
  'test/{ahp,e2e,sessionFs,sessions}/**/*.test.ts',
];

/** Tests that count fake timers: in a shared worker the timers of a file before them count too. */
const ALONE = [
  'packages/rpc/test/{lineTransport,rpcPeer*}.test.ts',
  'packages/host/test/**/{serverLimits,outputBatcher}.test.ts',
];

/** What all suites have in common. */
export const base = defineConfig({
  resolve: {
    // Tests of one package see the sources of the others, so that a failure points at a line that somebody wrote.
    alias: [
      { find: '@agenthost/rpc/contract', replacement: source('rpc', 'contract/transportContract') },
      { find: '@agenthost/host/contract', replacement: source('host', 'contract/index') },
      ...['protocol', 'rpc', 'client', 'host'].map((name) => ({
        find: `@agenthost/${name}/internal`,
        replacement: source(name, 'src/internal'),
      })),
      { find: '@agenthost/protocol/schemas', replacement: source('protocol', 'src/schemas/schemas') },
      { find: '@agenthost/sessions/contract', replacement: source('sessions', 'contract/providerContract') },
      ...['protocol', 'rpc', 'client', 'ahp', 'sessions', 'host'].map((name) => ({
        find: new RegExp(`^@agenthost/${name}$`),
        replacement: source(name),
      })),
    ],
  },
  test: {
    globalSetup: ['test/support/builtCli.ts'],
    // Hosts that tests start as programs keep no snapshots of folders that are not the test's own.
    env: { AGENTHOST_SNAPSHOTS: 'none' },
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // Each of these has a command of its own, and CI runs them all: real agents and VS Code are hundreds of megabytes, and the
    // others take minutes.
    exclude: [
      ...configDefaults.exclude,
      ...['agents', 'vscode', 'soak', 'faults', 'security', 'convergence'].map((folder) => `test/${folder}/**`),
      ...SWEEPS,
    ],
    // Most tests wait for processes: on two cores, two files at a time take little longer than one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A hang is what these find. How fast something is, the benchmarks say.
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});

const { include = [], exclude = [], ...common } = base.test ?? {};

export default defineConfig({
  ...base,
  test: {
    ...common,
    // A project adds its files to those that are given here: so there are none.
    projects: [
      { extends: true, test: { name: 'sharing', include: SHARING, exclude: [...exclude, ...ALONE], isolate: false } },
      { extends: true, test: { name: 'isolated', include, exclude: [...exclude, ...SHARING] } },
      { extends: true, test: { name: 'alone', include: ALONE, exclude } },
    ],
  },
});
