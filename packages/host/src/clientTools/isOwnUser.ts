import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { endianness } from 'node:os';

const known = new WeakMap<Socket, Promise<boolean>>();

/**
 * Whether the program at the other end of a connection on this machine runs as the user of the host. Always true on systems that
 * don't tell.
 */
export function isOwnUser(socket: Socket): Promise<boolean> {
  const before = known.get(socket);
  if (before !== undefined) return before;
  const answer = look(socket);
  known.set(socket, answer);
  return answer;
}

async function look({ remotePort, localPort }: Socket): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'latin1').catch(() => '')),
  );
  if (tables.every((table) => table === '')) return true;
  const [theirs, ours] = [address(remotePort), address(localPort)];
  return tables
    .join('\n')
    .split('\n')
    .some((line) => {
      const [, local = '', remote = '', , , , , uid, , inode] = line.trim().split(/\s+/);
      // Of a connection that its program has closed the table has no file and no user.
      const isOpen = local.endsWith(theirs) && remote.endsWith(ours) && inode !== '0';
      return isOpen && Number(uid) === process.getuid?.();
    });
}

/** 127.0.0.1 and a port as the kernel writes them; a socket of IPv6 has more before that. */
function address(port = 0): string {
  const loopback = endianness() === 'LE' ? '0100007F' : '7F000001';
  return `${loopback}:${port.toString(16).toUpperCase().padStart(4, '0')}`;
}
