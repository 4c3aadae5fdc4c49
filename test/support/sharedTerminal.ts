import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttachedTerminal, HostClient, TerminalListener } from '@agenthost/client';
import xterm from '@xterm/headless';
import { startTestHost, type TestHost, temporaryFolder } from './testHost.js';

export const SIZE = { columns: 80, rows: 24 };

/** A screen that can be awaited, as a client shows it. */
export class Screen implements TerminalListener {
  readonly #terminal = new xterm.Terminal({
    cols: 80,
    rows: 24,
    scrollback: 20_000,
    allowProposedApi: true,
    logLevel: 'off',
  });
  readonly #waiting = new Set<() => void>();
  /** Screens that came in place of output, the first included. */
  screens = 0;
  received = 0;

  onScreen(screen: string): void {
    this.screens += 1;
    this.#terminal.write(screen, () => this.#look());
  }

  onOutput(data: string): Promise<void> {
    this.received += data.length;
    return new Promise((resolve) =>
      this.#terminal.write(data, () => {
        resolve();
        this.#look();
      }),
    );
  }

  resize({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    this.#terminal.resize(columns, rows);
  }

  /** All lines, without empty ones at the end. */
  get text(): string {
    return this.#last(Number.POSITIVE_INFINITY);
  }

  #last(count: number): string {
    const { active } = this.#terminal.buffer;
    const from = Math.max(0, active.length - count);
    const lines = Array.from({ length: active.length - from }, (_, at) => active.getLine(from + at));
    return lines
      .map((line, at) => `${line?.isWrapped || at === 0 ? '' : '\n'}${line?.translateToString(true) ?? ''}`)
      .join('')
      .trimEnd();
  }

  shows(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        // All of it for each piece would take most of the time.
        if (!this.#last(60).includes(text)) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}

/** A host whose shell is bash with a prompt that tests can await, and without anybody's settings. */
export async function terminalHost(): Promise<TestHost & { readonly folder: string; remove(): Promise<void> }> {
  const stateDir = await temporaryFolder();
  const home = await temporaryFolder();
  const folder = join(home, 'project');
  await mkdir(folder);
  await writeFile(join(home, '.bash_profile'), "PS1='ready> '\nbind 'set enable-bracketed-paste off' 2>/dev/null\n");
  const env = { ...process.env, HOME: home, SHELL: '/bin/bash', HOST_SECRET: 'hunter2' };
  const host = await startTestHost({ stateDir, env, defaultDirectory: folder });
  return {
    ...host,
    folder,
    remove: async () => {
      await host.dispose();
      const { rm } = await import('node:fs/promises');
      for (const path of [stateDir, home]) await rm(path, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A new terminal of the session with its prompt on the screen. */
export async function newTerminal(
  client: HostClient,
  session: string,
): Promise<{ readonly terminal: AttachedTerminal; readonly screen: Screen }> {
  const screen = new Screen();
  const terminal = await client.terminalsOf(session).create(SIZE, screen);
  await screen.shows('ready>');
  return { terminal, screen };
}
