import * as z from 'zod';
import { MAX_DEVICE_NAME_LENGTH, MAX_SHARE_MS, MAX_TITLE_LENGTH, MIN_SHARE_MS } from '../limits.js';
import { role, sharedSession } from './handshakeSchemas.js';
import { count, id, timestamp, uri } from './primitives.js';

const yes = z.literal(true).exactOptional();
const givenName = z.string().min(1).max(MAX_DEVICE_NAME_LENGTH);

export const device = z
  .object({
    id,
    name: z.string(),
    user: z.string().exactOptional().describe('Who uses it, as others see it beside what is done there.'),
    role,
    createdAt: timestamp,
    lastSeenAt: timestamp.exactOptional().describe('When it connected or disconnected last; absent if it never did.'),
    isConnected: yes.describe('To the host that answers.'),
    shared: sharedSession.exactOptional().describe('Of a read-only link: what it shows. Its role is `viewer`.'),
    only: z
      .literal('metrics')
      .exactOptional()
      .describe('Of a program that reads `/metrics` of the host and is let in nowhere else. Its role is `viewer`.'),
  })
  .describe('A browser, a phone or a program with a token of its own.');

export const listDevicesParams = z.object({});
export const listDevicesResult = z.object({
  items: z.array(device).describe('Oldest first.'),
  own: id.exactOptional().describe("The device that asks; absent where it uses the host's own token."),
});
export const addDeviceParams = z.object({
  name: givenName.describe('A number is appended where another device has the name.'),
  known: z
    .string()
    .max(MAX_DEVICE_NAME_LENGTH * 4)
    .exactOptional()
    .describe('A token that the client has from before: if it is that of a device with the same role, none is made.'),
});
export const addDeviceResult = z.object({
  device,
  token: z
    .string()
    .exactOptional()
    .describe('The new token, or `known`. Absent where the token of this connection is a device token itself.'),
});
export const updateDeviceParams = z.object({
  device: id,
  role: role.exactOptional(),
  name: givenName.exactOptional(),
});
export const removeDeviceParams = z.object({ device: id });

export const createPairingParams = z.object({
  role: role.describe('Of the device that uses the code.'),
  replaces: id.exactOptional().describe('A pairing whose code must no longer work.'),
});
export const createPairingResult = z.object({
  pairing: id,
  code: z.string().describe('For the fragment of the link, after `#pair=`.'),
  words: z.string().describe('Shown on both sides, so that people can tell hosts apart.'),
  validMs: count,
  address: z.string().exactOptional().describe('Where other machines reach the host, if it knows.'),
});
export const pairingParams = z.object({ pairing: id });
export const fetchPairingResult = z.object({
  state: z
    .enum(['waiting', 'scanned', 'connected', 'expired'])
    .describe('`scanned`: a device has opened the link and has not confirmed yet.'),
  name: z.string().exactOptional().describe('Of the device.'),
  validMs: count,
});

export const shareSessionParams = z.object({
  session: uri,
  validMs: z.int().min(MIN_SHARE_MS).max(MAX_SHARE_MS).describe('How long the link works.'),
  name: z.string().max(MAX_TITLE_LENGTH).exactOptional().describe('For the list of devices: the title, say.'),
});
export const shareSessionResult = z.object({
  device,
  token: z.string().describe('For the fragment of the link, after `#share=`. It is not told again.'),
  endsAt: timestamp,
  address: z.string().exactOptional().describe('Where other machines reach the host, if it knows.'),
});
