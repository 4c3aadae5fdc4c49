import { rm } from 'node:fs/promises';
import { ROLES, type Role } from '@agenthost/protocol';
import { DeviceTokens } from '../../packages/host/src/server/access/deviceTokens.js';
import { ask, eventually } from '../e2e/api/support.js';
import { startTestHost, type TestHost, temporaryFolder } from '../support/testHost.js';

/** A host with a device of each role. */
export interface RolesHost extends TestHost {
  readonly devices: DeviceTokens;
  tokenOf(role: Role): string;
  /** Another device, whose token the host knows already. */
  addDevice(name: string, role: Role, space?: string): Promise<string>;
}

export async function startRolesHost(): Promise<RolesHost> {
  const stateDir = await temporaryFolder();
  const devices = new DeviceTokens(stateDir);
  const tokens = new Map<Role, string>();
  for (const role of ROLES) tokens.set(role, await devices.add(`the ${role}`, role));
  const host = await startTestHost({ stateDir });
  return {
    ...host,
    devices,
    tokenOf: (role) => tokens.get(role) ?? '',
    async addDevice(name, role, space) {
      const token = await devices.add(name, role, space);
      await eventually(
        async () => (await ask(host, 'GET', '/api/v1/agents', { token })).status,
        (status) => status === 200,
      );
      return token;
    },
    async dispose() {
      await host.dispose();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}
