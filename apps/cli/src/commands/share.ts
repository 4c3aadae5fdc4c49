import { isLoopback } from '@agenthost/host/internal';
import { MAX_SHARE_MS } from '@agenthost/protocol/internal';
import { defineCommand, HOST_OPTIONS } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { hostAddress } from '../hostAddress.js';
import { findSession } from '../sessionName.js';
import { parseTime } from '../text/parseTime.js';
import { qrCode } from '../text/qrCode.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'share',
  summary: 'print a link with which others can read a session',
  usage: 'SESSION [flags]',
  options: {
    ...HOST_OPTIONS,
    for: { type: 'string', value: 'TIME', help: 'how long it works, e.g. 1h, 1d, 30d (default 7d; at most 30d)' },
    qr: { type: 'boolean', help: 'draw the link as a QR code for the camera of a phone' },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  completes: 'session',
  notes: `Whoever has the link can read this session and what follows in it, until its end. It shows no other session, no list, and
nothing can be written with it. It is printed once; agenthost token ls lists it, agenthost token rm revokes it at once. Only an
owner of the host can make one.`,
  examples: ['agenthost share last', 'agenthost share last --for 1h --qr'],
  run: (values, [name, stray]) => {
    if (stray !== undefined) throw usageError('That is too much.', 'Name one session.');
    const validMs = parseTime('--for', values.for ?? '7d', ['m', 'h', 'd', 'w']);
    if (validMs === 0 || validMs > MAX_SHARE_MS)
      throw usageError(`--for ${values.for} is not possible.`, 'Give a time from 1m to 30d.');
    return withHost(values, async (host) => {
      const uri = await findSession(host, name);
      const session = await host.openSession(uri, { turns: 1 });
      const { title } = session.confirmed.value.summary;
      session.close();
      const { device, token, endsAt, address } = await host.devices.share({ session: uri, validMs, name: title });
      const link = `${address ?? hostAddress(values).url.href}#share=${token}`;
      const end = new Date(endsAt).toISOString();
      if (values.json) {
        process.stdout.write(`${JSON.stringify({ session: uri, link, name: device.name, endsAt: end })}\n`);
      } else {
        const drawn = values.qr ? `${(await qrCode(link))?.join('\n')}\n\n` : '';
        const until = new Date(endsAt).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' });
        process.stdout.write(
          `${drawn}Whoever has this link can read the session until ${until}; it is not shown again:\n\n  ${link}\n\n` +
            `Revoke it with: agenthost token rm ${JSON.stringify(device.name)}\n`,
        );
      }
      if (isLoopback(new URL(link).hostname)) {
        process.stderr.write('This address is for this machine only. For other machines see docs/remote.md.\n');
      }
      return EXIT.ok;
    });
  },
});
