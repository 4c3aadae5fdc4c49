import type { Socket } from 'node:net';

/** Resolves when the connection is gone, however it went. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once('close', () => resolve());
  });
}

/** Resolves when more can be written, or nothing any more. */
export function writable(socket: Socket): Promise<void> {
  const drained = new Promise<void>((resolve) => {
    socket.once('drain', () => resolve());
  });
  return Promise.race([drained, closed(socket)]);
}
