import { networkInterfaces } from 'node:os';
import type { Host, HostLog } from '@agenthost/host';
import { errorMessage } from '@agenthost/protocol/internal';
import { type LanNames, lanAddresses } from './lanAddresses.js';
import { lanCertificate } from './lanCertificate.js';

const CHECK_EVERY_MS = 10 * 60_000;

/** Keeps the certificate of a running host valid: new addresses and the end of its time need another one. */
export class LanCertificateWatch {
  readonly #host: Pick<Host, 'renewCertificate' | 'stateDir'>;
  readonly #names: LanNames;
  readonly #log: HostLog;
  readonly #timer: NodeJS.Timeout;
  #isGone = false;
  #checking = false;

  constructor(host: Pick<Host, 'renewCertificate' | 'stateDir'>, names: LanNames, log: HostLog) {
    this.#host = host;
    this.#names = names;
    this.#log = log;
    this.#timer = setInterval(() => void this.check(), CHECK_EVERY_MS).unref();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  async check(now = Date.now(), addresses = lanAddresses(networkInterfaces())): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    try {
      const { address, name } = this.#names;
      const isGone = !addresses.includes(address);
      if (isGone && !this.#isGone) {
        this.#log.warn(`this machine no longer has the address ${address} that it serves: start agenthost again`);
      }
      this.#isGone = isGone;
      if (isGone) return;
      const others = addresses.filter((other) => other !== address);
      const renewed = await lanCertificate(
        this.#host.stateDir,
        { address, name, addresses: [address, ...others] },
        now,
      );
      if (!renewed.isNew) return;
      this.#host.renewCertificate({ cert: renewed.cert, key: renewed.key });
      this.#log.info(`there is a new certificate; its SHA-256 fingerprint is ${renewed.fingerprint}`);
    } catch (error) {
      this.#log.warn(`the certificate could not be renewed; the old one stays in use: ${errorMessage(error)}`);
    } finally {
      this.#checking = false;
    }
  }
}
