import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Node runs the sources as they are; only their names for one another end in `.js`. */
const HOOKS = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    const sibling = /^@agenthost\\/(\\w+)$/.exec(specifier)?.[1];
    if (sibling) return next(new URL(sibling + '/src/index.ts', '${new URL('../../..', import.meta.url)}').href, context);
    if (/^\\.{1,2}\\/.*\\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) return next(specifier.slice(0, -3) + '.ts', context);
    return next(specifier, context);
  },
});`;

export interface SourceProcess {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** Its next line on standard output; rejects when it has ended. */
  nextLine(): Promise<string>;
  /** Resolves when it is gone, and was waited for. */
  end(signal?: 'SIGKILL'): Promise<void>;
}

/** Another process that runs a module. */
export function startProcess(module: URL, args: readonly string[]): SourceProcess {
  const child = spawn(
    process.execPath,
    [`--import=data:text/javascript,${encodeURIComponent(HOOKS)}`, fileURLToPath(module), ...args],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  return {
    child,
    async nextLine() {
      const { value, done } = await lines.next();
      if (done) throw new Error('the process has ended');
      return value;
    },
    async end(signal) {
      if (signal) child.kill(signal);
      else child.stdin.end();
      await exited;
    },
  };
}
