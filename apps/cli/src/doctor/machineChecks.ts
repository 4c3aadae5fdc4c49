import { once } from 'node:events';
import { createServer } from 'node:net';
import { DEFAULT_PORT } from '../hostAddress.js';
import { type Finding, ok } from './finding.js';

const NODE_MAJOR = 24;

export function checkNode(version = process.versions.node): Finding {
  const major = Number(version.split('.')[0]);
  if (major >= NODE_MAJOR) return ok('node', `Node ${version}.`);
  return {
    check: 'node',
    level: 'problem',
    what: `Node ${version} is too old.`,
    fix: `Install Node ${NODE_MAJOR} or newer.`,
  };
}

/** Whether the next `agenthost serve` could listen on the default address. */
export async function checkPort(isHostRunning: boolean, port = DEFAULT_PORT): Promise<Finding> {
  if (isHostRunning) return ok('port', 'The host listens.');
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return ok('port', `Port ${port} is free.`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const what =
      code === 'EADDRINUSE' ? `Port ${port} is used by another program.` : `Port ${port} can't be used (${code}).`;
    return { check: 'port', level: 'warning', what, fix: 'Start the host on another one: agenthost serve --port 0.' };
  } finally {
    server.close();
  }
}
