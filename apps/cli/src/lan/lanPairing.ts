import { connect } from '@agenthost/client';
import type { Host } from '@agenthost/host';
import type { CreatePairingResult, Role } from '@agenthost/protocol';
import { createMemoryTransportPair } from '@agenthost/rpc';

/** A code that lets one phone in, with its link. */
export interface LanPairing extends CreatePairingResult {
  readonly link: string;
  readonly role: Role;
}

/** As `agenthost pair` makes one, inside the process of the host. */
export async function lanPairing(host: Host, url: URL, role: Role): Promise<LanPairing> {
  const { a, b } = createMemoryTransportPair();
  host.attach(b);
  const client = await connect({ transport: async () => a, keepAliveMs: 0 });
  try {
    const made = await client.devices.createPairing({ role });
    return { ...made, role, link: `${made.address ?? url.href}#pair=${made.code}` };
  } finally {
    client.close();
  }
}
