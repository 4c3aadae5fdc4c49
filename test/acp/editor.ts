import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import * as acp from '@agentclientprotocol/sdk';
import { CLI } from '../support/testHost.js';

export interface EditorOptions {
  readonly capabilities?: acp.ClientCapabilities;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Answers a permission request; waits for ever without it. */
  readonly permission?: (request: acp.RequestPermissionRequest) => Promise<acp.RequestPermissionResponse>;
  readonly form?: (request: acp.CreateElicitationRequest) => Promise<acp.CreateElicitationResponse>;
}

/** An editor: the official client library over `agenthost acp` in a process of its own. */
export class Editor {
  readonly child: ChildProcess;
  readonly updates: acp.SessionNotification[] = [];
  readonly permissions: acp.RequestPermissionRequest[] = [];
  readonly forms: acp.CreateElicitationRequest[] = [];
  /** Questions that the agent took back. */
  cancelled = 0;
  errors = '';
  readonly #listeners = new Set<() => unknown>();
  readonly #connection: acp.ClientConnection;
  #initialized: acp.InitializeResponse | undefined;

  static async start(
    {
      url,
      token,
    }: { readonly url: URL; readonly token: string } | { readonly url: undefined; readonly token: undefined },
    options: EditorOptions = {},
  ): Promise<Editor> {
    const address = url ? ['--url', url.href, '--token', token] : [];
    const editor = new Editor([...address, ...(options.args ?? [])], options);
    editor.#initialized = await editor.agent.request('initialize', {
      protocolVersion: acp.PROTOCOL_VERSION,
      clientInfo: { name: 'test editor', version: '1' },
      clientCapabilities: options.capabilities ?? {},
    });
    return editor;
  }

  private constructor(args: readonly string[], options: EditorOptions) {
    this.child = spawn(process.execPath, [CLI, 'acp', ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent', AGENTHOST_SNAPSHOTS: 'none', ...options.env },
    });
    const { stdin, stdout, stderr } = this.child;
    if (!stdin || !stdout || !stderr) throw new Error('the process has no pipes');
    stdin.on('error', () => {});
    stderr.on('data', (chunk) => {
      this.errors += String(chunk);
    });
    const never = new Promise<never>(() => {});
    const app = acp
      .client({ name: 'test editor' })
      .onNotification('session/update', ({ params }) => {
        this.updates.push(params);
        this.#heard();
      })
      .onRequest('session/request_permission', ({ params, signal }) => {
        this.permissions.push(params);
        this.#heard();
        signal.addEventListener('abort', () => this.#cancel());
        return options.permission?.(params) ?? never;
      })
      .onRequest('elicitation/create', ({ params, signal }) => {
        this.forms.push(params);
        this.#heard();
        signal.addEventListener('abort', () => this.#cancel());
        return options.form?.(params) ?? never;
      });
    this.#connection = app.connect(
      acp.ndJsonStream(
        Writable.toWeb(stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
      ),
    );
  }

  get agent(): acp.ClientContext {
    return this.#connection.agent;
  }

  get initialized(): acp.InitializeResponse {
    if (!this.#initialized) throw new Error('not initialized');
    return this.#initialized;
  }

  async open(cwd = process.cwd()): Promise<string> {
    return (await this.agent.request('session/new', { cwd, mcpServers: [] })).sessionId;
  }

  prompt(sessionId: string, text: string): Promise<acp.PromptResponse> {
    return this.agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  /** The texts of a kind, joined. */
  said(kind: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk'): string {
    return this.updates
      .flatMap(({ update }) =>
        update.sessionUpdate === kind && update.content.type === 'text' ? [update.content.text] : [],
      )
      .join('');
  }

  of<K extends acp.SessionUpdate['sessionUpdate']>(kind: K) {
    return this.updates.flatMap(({ update }) =>
      update.sessionUpdate === kind ? [update as Extract<acp.SessionUpdate, { sessionUpdate: K }>] : [],
    );
  }

  /** Resolves when what the editor was told fits. */
  async until(check: (editor: this) => boolean, what = 'what the editor should be told'): Promise<void> {
    if (check(this)) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = () => check(this) && resolve();
    this.#listeners.add(look);
    const timer = setTimeout(() => {
      const last = JSON.stringify(this.updates.slice(-5)).slice(0, 2_000);
      reject(new Error(`${what} did not come; the last updates were ${last}; ${this.errors}`));
    }, 10_000);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(look);
    }
  }

  #cancel(): void {
    this.cancelled++;
    this.#heard();
  }

  #heard(): void {
    for (const listener of this.#listeners) listener();
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  /** The editor ends: its end of the pipes is closed. */
  async end(): Promise<number | null> {
    const ended = once(this.child, 'exit');
    this.child.stdin?.end();
    this.child.stdout?.destroy();
    return (await ended)[0] as number | null;
  }
}
