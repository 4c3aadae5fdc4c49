import type { ChildProcess } from 'node:child_process';

/** The next message of that kind; fails when the process ends instead. */
export function childMessage(child: ChildProcess, event: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const listen = (received: unknown) => {
      if ((received as { event?: string }).event !== event) return;
      child.off('message', listen);
      child.off('exit', failed);
      resolve(received);
    };
    const failed = (code: number | null) =>
      reject(new Error(`a process of the benchmark ended with ${code} instead of ${event}`));
    child.on('message', listen);
    child.on('exit', failed);
  });
}
