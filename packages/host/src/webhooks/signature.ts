import { createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';
/** As the specification recommends: 24 to 64. */
const SECRET_BYTES = 32;

export function newSecret(): string {
  return `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** The headers of Standard Webhooks 1.0, symmetric: https://www.standardwebhooks.com. */
export function signedHeaders(secret: string, id: string, body: string, now: number): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1_000));
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
