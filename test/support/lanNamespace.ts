import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);
// Without addresses of IPv6: they appear a second later, and a browser drops what it loads when the network changes.
const SETUP = `ip link set lo up &&
ip link add lan0 type veth peer name lan1 &&
ip link set lan0 addrgenmode none && ip link set lan1 addrgenmode none &&
ip addr add ADDRESS/24 dev lan0 && ip link set lan0 up && ip link set lan1 up &&
echo ready && exec cat`;

/** A network of its own with one address on a local network, for programs that are started in it. Nothing leaves it. */
export class LanNamespace {
  readonly #holder: ChildProcess;

  /** `undefined` where the system does not allow it. */
  static async open(address: string): Promise<LanNamespace | undefined> {
    const holder = spawn('unshare', ['--map-root-user', '--net', 'sh', '-ec', SETUP.replace('ADDRESS', address)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const failed = Promise.race([once(holder, 'exit'), once(holder, 'error')]).then(() => false);
    const isReady = await Promise.race([once(holder.stdout, 'data').then(() => true), failed.catch(() => false)]);
    return isReady ? new LanNamespace(holder) : undefined;
  }

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** A command line that runs there. */
  wrap(...words: string[]): [string, string[]] {
    return ['nsenter', ['--target', `${this.#holder.pid}`, '--user', '--net', '--preserve-credentials', ...words]];
  }

  async run(words: string[], env: Readonly<Record<string, string>>): Promise<{ stdout: string; stderr: string }> {
    const [program, args] = this.wrap(...words);
    return run(program, args, { env: { PATH: process.env['PATH'] ?? '', LANG: 'C.UTF-8', ...env } });
  }

  async dispose(): Promise<void> {
    const ended = once(this.#holder, 'exit');
    this.#holder.stdin?.end();
    await ended;
  }
}
