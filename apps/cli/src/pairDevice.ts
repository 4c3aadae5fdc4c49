import { isLoopback } from '@agenthost/host/internal';
import type { FetchPairingResult, Role } from '@agenthost/protocol';
import { CommandError, EXIT } from './commandError.js';
import { type AddressOptions, hostAddress } from './hostAddress.js';
import { qrCode } from './text/qrCode.js';
import { withHost } from './withHost.js';

export type Print = (value: object, text: string) => void;

interface PairOptions extends AddressOptions {
  readonly role?: string;
  readonly qr?: boolean;
}

/** How often the host is asked whether the device has come. */
const LOOK_MS = 500;

/** Prints a link that lets one device in, and waits until it is connected. */
export async function pairDevice(options: PairOptions, print: Print): Promise<void> {
  const role = (options.role ?? 'approver') as Role;
  // Before the code is shown: one that was seen must end with this command.
  const stopped = new Promise<'stopped'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('stopped'));
  });
  await withHost(options, async (host) => {
    const { pairing, code, words, address, validMs } = await host.devices.createPairing({ role });
    const link = `${address ?? hostAddress(options).url.href}#pair=${code}`;
    const drawn = options.qr ? `${(await qrCode(link))?.join('\n')}\n\n` : '';
    const minutes = Math.round(validMs / 60_000);
    print(
      { pairing, role, link, words, validMs },
      `${drawn}Open this link on the device; it works once, for ${minutes} minutes, as ${role}:\n\n  ${link}\n\nThe device must show: ${words}\n`,
    );
    if (isLoopback(new URL(link).hostname)) {
      process.stderr.write('This address is for this machine only. For other machines see docs/remote.md.\n');
    }
    const remove = () => host.devices.removePairing(pairing).catch(() => undefined);
    for (let state: FetchPairingResult['state'] = 'waiting'; ; ) {
      const over = new Promise<'over'>((resolve) => setTimeout(resolve, LOOK_MS, 'over'));
      if ((await Promise.race([over, stopped])) === 'stopped') {
        await remove();
        throw new CommandError(EXIT.interrupted, 'No device was connected.', 'The code no longer works: run it again.');
      }
      const found = await host.devices.fetchPairing(pairing);
      if (found.state === 'expired') {
        throw new CommandError(EXIT.failed, 'The code has expired.', 'Run it again for a new one.');
      }
      if (found.state === 'connected') {
        print({ connected: found.name, role }, `${found.name} is connected as ${role}.`);
        return;
      }
      if (found.state === 'scanned' && state !== 'scanned') process.stderr.write(`${found.name} is connecting…\n`);
      state = found.state;
    }
  });
}
