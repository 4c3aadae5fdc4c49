import { hostname, type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { CommandError, EXIT } from '../commandError.js';

/** What a host is called on the local network. */
export interface LanNames {
  /** The address that it listens on. */
  readonly address: string;
  /** All addresses of this machine on local networks, that one first: for the certificate. */
  readonly addresses: readonly string[];
  /** The machine's name for multicast DNS, such as `desk.local`; a machine may have a name that can't be one. */
  readonly name: string | undefined;
}

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Of containers, virtual machines and tunnels: no phone is in there. */
const VIRTUAL =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|podman|cni|flannel|lxc|lxd|utun|tun|tap|wg|tailscale|zt|vEthernet)/;

/**
 * This machine's names on the local network. Only private IPv4 addresses count (RFC 1918): what has another one can be reached from
 * further away than one's own rooms.
 */
export function lanNames(wanted: string | undefined, interfaces: Interfaces = networkInterfaces()): LanNames {
  const addresses = lanAddresses(interfaces);
  const [first] = addresses;
  if (first === undefined) {
    throw new CommandError(
      EXIT.cannotStart,
      'This machine has no address on a local network (10.x, 172.16.x to 172.31.x or 192.168.x).',
      'Connect it to your network, or use one of the other ways of docs/remote.md.',
    );
  }
  const address = wanted ?? first;
  if (!addresses.includes(address)) {
    throw new CommandError(
      EXIT.usage,
      `${address} is not an address of this machine on a local network.`,
      `Leave --host out, or give one of ${addresses.join(', ')}.`,
    );
  }
  return {
    address,
    addresses: [address, ...addresses.filter((other) => other !== address)],
    name: localName(hostname()),
  };
}

/** Those of real interfaces first. */
export function lanAddresses(interfaces: Interfaces): string[] {
  const found = Object.entries(interfaces).flatMap(([name, infos = []]) =>
    infos
      .filter(({ family, internal, address }) => family === 'IPv4' && !internal && isPrivate(address))
      .map(({ address }) => ({ address, isVirtual: VIRTUAL.test(name) })),
  );
  const ordered = [...found.filter(({ isVirtual }) => !isVirtual), ...found.filter(({ isVirtual }) => isVirtual)];
  return [...new Set(ordered.map(({ address }) => address))];
}

/** The ranges that the certificate authority is limited to as well. */
export const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'] as const;

function isPrivate(address: string): boolean {
  const [a = 0, b = 0] = address.split('.').map(Number);
  return a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168);
}

export function localName(machine: string): string | undefined {
  const label = machine.toLowerCase().split('.')[0] ?? '';
  return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label) && label !== 'localhost' ? `${label}.local` : undefined;
}
