import type { Transport } from '@agenthost/rpc';
import { it } from 'vitest';
import { transportContract } from '../../../rpc/contract/transportContract.js';
import { startWebSocketServer } from './webSocketServer.js';

/** The contract of a transport, over a real socket and in both directions. */
export function socketContract(open: (url: string) => Promise<Transport>): void {
  const createPair = async () => {
    const started = await startWebSocketServer();
    const accepted = started.accept();
    const a = await open(started.url);
    return { a, b: (await accepted).transport, dispose: () => started.close() };
  };
  const reversed = async () => {
    const { a, b, dispose } = await createPair();
    return { a: b, b: a, dispose };
  };
  for (const { name, run } of transportContract(createPair)) it(`client to host: ${name}`, run);
  for (const { name, run } of transportContract(reversed)) it(`host to client: ${name}`, run);
}
