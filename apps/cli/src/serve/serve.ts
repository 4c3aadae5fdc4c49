import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import {
  AcpAgents,
  type Agent,
  CopilotAgent,
  consoleLog,
  DatabaseError,
  Host,
  type HostLog,
  LockHeldError,
  MockAgent,
  ShellAgent,
  StateRootFailure,
  WeakTokenError,
} from '@agenthost/host';
import { AGENTS_FOLDER, AgentGuard, localUrl, reportAcpAgents, resolveStateRoot } from '@agenthost/host/internal';
import { CommandError, EXIT } from '../commandError.js';
import type { Lan } from '../lan/openLan.js';
import { type OpenedPage, openInBrowser } from '../openInBrowser.js';
import { pageFolder } from '../pageFolder.js';
import { type AhpAddress, ahpAddress, describeAhp } from './ahpAddress.js';
import type { AhpRoute } from './ahpRoute.js';
import { AHP_TOKEN_NAME, ahpToken } from './ahpToken.js';
import { CertificateWatch } from './certificateWatch.js';
import { limitGarbage, releaseWhenQuiet } from './releaseMemory.js';
import type { ServeOptions } from './serveOptions.js';

/** How long a process may take to end after its host has closed. */
const LINGER_MS = 1_000;

export async function serve(options: ServeOptions): Promise<number> {
  const log = consoleLog({ debug: options.debug });
  const host = await start(options, log);
  let guard: AgentGuard | undefined;
  let certificate: { dispose(): void } | undefined;
  const stopped = stopSignal();
  let ahp: AhpRoute | undefined;
  let opened: OpenedPage | undefined;
  try {
    // Loaded only where it is asked for.
    if (options.ahp) ahp = (await import('./ahpRoute.js')).openAhpRoute(host, log);
    const forAhp = options.ahp ? await ahpToken(host, options.ahpRole, ahpTokenName(options)) : undefined;
    const lan = options.lan && (await (await import('../lan/openLan.js')).openLan(host, options.lan, log));
    const tls = lan?.certificate ?? options.tls;
    const { url, token } = await host.listen({
      address: options.address,
      port: options.port,
      allowedOrigins: options.allowedOrigins,
      pageFolder: pageFolder(),
      ...(ahp && { socketRoutes: ahp.routes }),
      ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
      ...(lan && { names: lan.names }),
      ...(options.publicUrl && { publicUrl: options.publicUrl }),
      ...(options.linkUrl && { linkUrl: options.linkUrl }),
      ...(process.env['AGENTHOST_TOKEN'] && { token: process.env['AGENTHOST_TOKEN'] }),
    });
    guard = new AgentGuard(host.stateDir, host.agentLease);
    certificate = lan ? lan.watch() : options.tls && new CertificateWatch(host, options.tls, log);
    const link = `${(options.publicUrl ?? localUrl(url)).href}#token=${token}`;
    const ahpFor = forAhp === undefined ? undefined : ahpAddress(options.publicUrl ?? url, forAhp);
    await announce(options, url, link, host, ahpFor, lan);
    limitGarbage();
    releaseWhenQuiet();
    if (options.open) opened = await openInBrowser(host.createOneTimeLink(), host.stateDir);
    await stopped;
    if (options.database !== undefined && options.drainMs > 0) {
      const seconds = options.drainMs / 1_000;
      log.info(
        `other hosts take the sessions, and running turns may end within ${seconds} s; a second signal ends all`,
      );
    }
    await host.drain(options.drainMs);
    return EXIT.ok;
  } catch (error) {
    throw startError(error, options);
  } finally {
    ahp?.dispose();
    certificate?.dispose();
    await opened?.dispose();
    await host.close();
    await guard?.dispose();
    // What waits for a collector that does not answer must not keep the process.
    setTimeout(() => process.exit(), LINGER_MS).unref();
  }
}

async function start(options: ServeOptions, log: HostLog): Promise<Host> {
  try {
    return await Host.start({
      ...(options.stateDir !== undefined && { stateDir: options.stateDir }),
      ...(await chosenAgents(options)),
      nativeSessions: options.nativeSessions,
      snapshots: options.snapshots,
      durability: options.durability,
      ...(options.agentsOutliveHostMs !== undefined && { agentsOutliveHostMs: options.agentsOutliveHostMs }),
      ...defaultDirectory(process.env),
      ...(options.database !== undefined && { database: options.database }),
      ...(options.place !== undefined && { place: options.place }),
      ...(options.leaseMs !== undefined && { leaseMs: options.leaseMs }),
      log,
    });
  } catch (error) {
    throw startError(error, options);
  }
}

/** `npm start` runs in the clone of this program, which is not where people work. Any other start keeps its own folder. */
function defaultDirectory({ npm_lifecycle_event: event }: NodeJS.ProcessEnv): { defaultDirectory?: string } {
  return event === 'start' ? { defaultDirectory: homedir() } : {};
}

/** Hosts on one database share its tokens, but each has clients of its own. */
function ahpTokenName({ database }: ServeOptions): string {
  return database === undefined ? AHP_TOKEN_NAME : `${AHP_TOKEN_NAME} (${hostname().slice(0, 40)})`;
}

async function chosenAgents({ agents: wanted, enableMockAgent, stateDir }: ServeOptions) {
  const stateRoot = resolveStateRoot({ env: process.env, ...(stateDir !== undefined && { path: stateDir }) });
  const known: Agent[] = [
    new ShellAgent(),
    new CopilotAgent({ agentsFolder: join(stateRoot, AGENTS_FOLDER) }),
    ...(enableMockAgent ? [new MockAgent()] : []),
  ];
  // The host reports an invalid file, and runs nevertheless.
  const found = wanted ? await reportAcpAgents(stateRoot, process.env).catch(() => []) : [];
  const providers = [...known.map((agent) => agent.descriptor.provider), ...found.map(({ provider }) => provider)];
  const unknown = wanted?.find((name) => !providers.includes(name));
  if (unknown !== undefined) {
    throw new CommandError(
      EXIT.usage,
      `There is no agent ${JSON.stringify(unknown)}.`,
      `There are: ${providers.join(', ')}.`,
    );
  }
  return {
    agents: known.filter((agent) => wanted?.includes(agent.descriptor.provider) ?? true),
    agentSources: [new AcpAgents(wanted ? { only: wanted } : {})],
  };
}

async function announce(
  { json, lanRole }: ServeOptions,
  url: URL,
  link: string,
  host: Host,
  ahp: AhpAddress | undefined,
  lan: Lan | undefined,
): Promise<void> {
  const pairing = await lan?.pair(url, lanRole);
  if (json) {
    const listening = {
      event: 'listening',
      url: url.origin,
      link,
      pid: process.pid,
      instanceId: host.instanceId,
      stateDir: host.stateDir,
      ...(ahp && { ahp }),
      ...(lan && { fingerprint: lan.certificate.fingerprint, authorityFile: lan.certificate.authorityFile }),
      ...(pairing && { pairing: { link: pairing.link, role: pairing.role, words: pairing.words } }),
    };
    process.stdout.write(`${JSON.stringify(listening)}\n`);
    return;
  }
  const forAhp = ahp ? `${describeAhp(ahp)}\n\n` : '';
  const text = pairing
    ? await lan?.describe({ link, pairing })
    : `agenthost is running. Open this link; whoever has it can run commands here:\n\n  ${link}\n`;
  process.stdout.write(`${text}\n${forAhp}Ctrl+C stops it.\n`);
}

/** Resolves at the first signal to stop; a second one ends the process at once. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let signals = 0;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (++signals > 1) process.exit(EXIT.failed);
        resolve();
      });
    }
  });
}

function startError(error: unknown, { address, port }: ServeOptions): unknown {
  const cannotStart = (what: string, whatToDo: string) =>
    new CommandError(EXIT.cannotStart, what, whatToDo, { cause: error });
  if (error instanceof CommandError) return error;
  if (error instanceof StateRootFailure || error instanceof WeakTokenError || error instanceof DatabaseError) {
    return cannotStart(error.what, error.whatToDo);
  }
  if (error instanceof LockHeldError) return cannotStart(error.message, 'Mend that, then start again.');
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') {
    return cannotStart(
      `Port ${port} on ${address} is in use.`,
      'Is agenthost running already? If not, choose another port with --port, or any free one with --port 0.',
    );
  }
  if (code === 'EACCES') return cannotStart(`Port ${port} needs more rights.`, 'Choose a port above 1023 with --port.');
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return cannotStart(`${address} is not an address of this machine.`, 'Leave --host out to listen on 127.0.0.1.');
  }
  return error;
}
