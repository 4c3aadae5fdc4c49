import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { connect, type HostClient } from '@agenthost/client';
import { MAX_FRAME_BYTES } from '@agenthost/protocol';
import { CommandError, EXIT } from '../commandError.js';
import { type AddressOptions, hostAddress } from '../hostAddress.js';
import { commandErrorOf } from '../hostErrors.js';
import { hostOptions } from '../withHost.js';
import { startHostIfNone } from './backgroundHost.js';
import { EditorAgent } from './editorAgent.js';

export interface ServeAcpOptions {
  readonly address: AddressOptions;
  readonly startsHost: boolean;
  readonly provider?: string;
}

/** What the editor sent before it ended is delivered first. */
const DRAIN_MS = 5_000;

/** Speaks ACP on standard input and output until the editor is gone. */
export async function serveAcp({ address: options, startsHost, provider }: ServeAcpOptions): Promise<number> {
  const { stdin, stdout, stderr } = process;
  if (stdin.isTTY)
    stderr.write('An editor starts this and speaks ACP with it; docs/acp.md says how. Ctrl+D ends it.\n');
  const log = (line: string) => stderr.write(`${line}\n`);
  // Nothing but the protocol may get there.
  console.log = console.info = console.debug = console.error;
  const gone = editorGone();
  if (startsHost) await startHostIfNone(options, process.argv[1] ?? '');
  const address = hostAddress(options);
  let host: HostClient;
  try {
    host = await connect(hostOptions(address));
  } catch (error) {
    throw commandErrorOf(error, address.url);
  }
  const agent = new EditorAgent(host, { page: address.url, log, ...(provider !== undefined && { provider }) });
  const stream = ndJsonStream(
    Writable.toWeb(stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
    { maxMessageBytes: MAX_MESSAGE_BYTES },
  );
  const connection = agent.connect(stream);
  try {
    await Promise.race([connection.closed, gone, closedByHost(host)]);
    await agent.drained(DRAIN_MS);
    return EXIT.ok;
  } finally {
    agent.dispose();
    host.close();
    // A pipe that nobody reads would keep the process.
    setTimeout(() => process.exit(), 1_000).unref();
    stdin.destroy();
  }
}

/** Images come as base64, and the host takes no larger message. */
const MAX_MESSAGE_BYTES = 2 * MAX_FRAME_BYTES;

/** `main` ends at once when nobody reads the output; here what was sent must still arrive. */
async function editorGone(): Promise<void> {
  const { stdout } = process;
  stdout.removeAllListeners('error');
  const gone = new Promise<void>((resolve) => {
    stdout.on('error', () => resolve());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await Promise.race([gone, once(process.stdin, 'end').catch(() => {}), once(process.stdin, 'close')]);
}

/** The token was revoked, say: that does not get better. */
async function closedByHost(host: HostClient): Promise<void> {
  await new Promise<void>((_resolve, reject) => {
    host.connection.subscribe((state) => {
      if (state.state === 'closed') {
        reject(
          new CommandError(EXIT.noHost, `The host closed the connection: ${String(state.reason)}`, 'Start it again.'),
        );
      }
    });
  });
}
