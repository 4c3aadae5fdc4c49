import { X509Certificate } from 'node:crypto';
import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import type { Host, HostLog } from '@agenthost/host';
import { errorMessage } from '@agenthost/protocol/internal';
import type { TlsFiles } from './serveOptions.js';

const LOOK_EVERY_MS = 2_000;
const CHECK_EVERY_MS = 12 * 3_600_000;
const SOON_MS = 7 * 24 * 3_600_000;

/**
 * Uses a renewed certificate without a restart; existing connections stay. Files that do not fit together, for example because
 * only one has been written yet, change nothing. Warns when the certificate has expired, or is about to.
 */
export class CertificateWatch {
  readonly #host: Pick<Host, 'renewCertificate'>;
  readonly #files: TlsFiles['files'];
  readonly #log: HostLog;
  readonly #timer: NodeJS.Timeout;
  #cert: string;

  constructor(host: Pick<Host, 'renewCertificate'>, { cert, files }: TlsFiles, log: HostLog) {
    this.#host = host;
    this.#files = files;
    this.#log = log;
    this.#cert = cert;
    // By polling: renewed files are replaced, and often are links.
    for (const path of Object.values(files)) {
      watchFile(path, { interval: LOOK_EVERY_MS, persistent: false }, this.#renew);
    }
    this.#timer = setInterval(() => this.#checkEnd(), CHECK_EVERY_MS).unref();
    this.#checkEnd();
  }

  dispose(): void {
    clearInterval(this.#timer);
    for (const path of Object.values(this.#files)) unwatchFile(path, this.#renew);
  }

  readonly #renew = (): void => {
    try {
      const [cert, key] = [readFileSync(this.#files.cert, 'utf8'), readFileSync(this.#files.key, 'utf8')];
      this.#host.renewCertificate({ cert, key });
      this.#cert = cert;
      this.#log.info(`${this.#files.cert} was renewed: new connections are served with it`);
      this.#checkEnd();
    } catch (error) {
      const why = errorMessage(error);
      this.#log.warn(
        `${this.#files.cert} and its key have changed, but can't be used; the old ones stay in use: ${why}`,
      );
    }
  };

  #checkEnd(): void {
    const end = Date.parse(new X509Certificate(this.#cert).validTo);
    const left = end - Date.now();
    if (left > SOON_MS) return;
    const verb = left > 0 ? 'runs out' : 'has run out';
    this.#log.warn(
      `the certificate in ${this.#files.cert} ${verb}: it is valid until ${new Date(end).toISOString()}; renew it`,
    );
  }
}
