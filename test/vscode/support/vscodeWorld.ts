import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HostClient, SessionHandle } from '@agenthost/client';
import type { Browser } from 'playwright-core';
import { writeStubAgents } from '../../support/agents/stubAgent.js';
import { type RestartableHost, startRestartableHost } from '../../support/restartableHost.js';
import { until } from '../../support/until.js';
import type { VscodeVersion } from './installVscode.ts';
import { startVscodeServer, type VscodeServerOptions } from './vscodeServer.ts';
import { PATIENCE, Workbench } from './workbench.ts';

/** A real host in its own process with the gateway, and the server of VS Code before it. */
export class VscodeWorld {
  readonly host: RestartableHost;
  /** Another client: a program. */
  readonly program: HostClient;
  /** Where the sessions work, and what VS Code has open. */
  readonly folder: string;
  readonly #address: string;
  readonly #ends: (() => Promise<unknown>)[];

  static async start(version: VscodeVersion, options: VscodeServerOptions = {}): Promise<VscodeWorld> {
    const host = await startRestartableHost(['--ahp'], {}, writeStubAgents);
    const ends = [() => host.dispose()];
    try {
      const folder = join(host.stateDir, 'work');
      await mkdir(folder);
      await writeFile(join(folder, 'notes.txt'), 'one\ntwo\n');
      const { ahp } = JSON.parse(host.process.firstLine) as { ahp: { token: string } };
      // Not straight to the process: this way connections can be cut, and the host can come back.
      const server = await startVscodeServer(version, { url: host.url, token: ahp.token }, options);
      ends.push(() => server.dispose());
      const program = await host.connect({ clientInfo: { name: 'Program' } });
      return new VscodeWorld(host, program, folder, server.address(folder), ends);
    } catch (error) {
      for (const end of ends.toReversed()) await end();
      throw error;
    }
  }

  private constructor(
    host: RestartableHost,
    program: HostClient,
    folder: string,
    address: string,
    ends: (() => Promise<unknown>)[],
  ) {
    this.host = host;
    this.program = program;
    this.folder = folder;
    this.#address = address;
    this.#ends = ends;
  }

  async window(browser: Browser): Promise<Workbench> {
    const workbench = await Workbench.open(browser, this.#address);
    this.#ends.push(() => workbench.close());
    return workbench;
  }

  /** Made by the program, in the folder that VS Code has open. */
  async session(title: string, messages: readonly string[] = [], provider = 'mock'): Promise<SessionHandle> {
    const session = await this.program.createSession({ provider, workingDirectory: pathToFileURL(this.folder).href });
    await session.ready();
    for (const [index, message] of messages.entries()) {
      await session.send(message);
      await turns(session, index + 1);
    }
    await session.rename(title);
    return session;
  }

  /** The session that changed last. */
  async newest(): Promise<string> {
    const { items } = await this.program.listSessions({ limit: 1 });
    if (!items[0]) throw new Error('there is no session');
    return items[0].resource;
  }

  async dispose(): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
  }
}

/** So many turns have ended, and none runs. */
export async function turns(session: SessionHandle, count: number): Promise<void> {
  await until(
    session.confirmed,
    (state) => state.turns.length === count && !state.activeTurn,
    `${count} ended turns`,
    PATIENCE,
  );
}
