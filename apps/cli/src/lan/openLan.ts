import type { Host, HostLog } from '@agenthost/host';
import type { Role } from '@agenthost/protocol';
import { describeLan, type LanLinks } from './describeLan.js';
import type { LanNames } from './lanAddresses.js';
import { type LanCertificate, lanCertificate } from './lanCertificate.js';
import { LanCertificateWatch } from './lanCertificateWatch.js';
import { type LanPairing, lanPairing } from './lanPairing.js';

/** What `serve --lan` needs of this folder, so that `serve` alone loads nothing of it. */
export interface Lan {
  readonly certificate: LanCertificate;
  readonly names: readonly string[];
  watch(): LanCertificateWatch;
  /** A code for a phone; only once the host listens. */
  pair(url: URL, role: Role): Promise<LanPairing>;
  describe(links: LanLinks): Promise<string>;
}

export async function openLan(host: Host, names: LanNames, log: HostLog): Promise<Lan> {
  const certificate = await lanCertificate(host.stateDir, names);
  return {
    certificate,
    names: names.name === undefined ? [] : [names.name],
    pair: (url, role) => lanPairing(host, url, role),
    watch: () => new LanCertificateWatch(host, names, log),
    describe: (links) => describeLan(links, certificate, process.stdout.isTTY ? process.stdout.columns : undefined),
  };
}
