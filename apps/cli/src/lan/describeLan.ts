import type { Role } from '@agenthost/protocol';
import { qrCode } from '../text/qrCode.js';
import type { LanCertificate } from './lanCertificate.js';
import type { LanPairing } from './lanPairing.js';

const MAY: Readonly<Record<Role, string>> = {
  viewer: 'a viewer, who only watches',
  approver: 'an approver, who answers questions and stops turns',
  driver: 'a driver, who can run commands here',
  owner: 'an owner, who can run commands here and let others in',
};

export interface LanLinks {
  /** Of the owner, for this machine. */
  readonly link: string;
  readonly pairing: LanPairing;
}

/** What `serve --lan` prints: the link for a phone, the code with the same link, and what the phone is going to ask. */
export async function describeLan(
  { link, pairing }: LanLinks,
  { fingerprint, authorityFile }: LanCertificate,
  columns: number | undefined,
): Promise<string> {
  // What is not a terminal may be a log: a picture of the link is of no use there.
  const code =
    columns === undefined
      ? []
      : ((await qrCode(pairing.link, columns - 2)) ?? ['(The window is too narrow for a QR code.)']);
  const picture = code.map((line) => `  ${line}\n`).join('');
  const minutes = Math.round(pairing.validMs / 60_000);
  return `agenthost is running on your network. Scan the code with a phone in the same network, or open this link on it. It works once,
within ${minutes} minutes, and lets the phone in as ${MAY[pairing.role]}:

  ${pairing.link}

${picture}${picture && '\n'}1. The phone will warn that the connection is not private, because this machine has made the certificate itself. Look at the
   certificate ("Details", "Advanced" or the lock), and go on only if its SHA-256 fingerprint is this one; if it is another one,
   somebody else answers, and would get the code:

   ${fingerprint}

2. Then it asks for your name and a name for the phone. It must show the words: ${pairing.words}

For another phone, or another role, run agenthost pair. A phone that trusts ${authorityFile}
does not warn; docs/remote.md says how. On this machine open this link; whoever has it can run commands here:

  ${link}
`;
}
