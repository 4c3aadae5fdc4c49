import type { HostClient } from '@agenthost/client';
import type { CreatePairingResult, Role } from '@agenthost/protocol';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rawSession, startTestHost, type TestHost } from '../../support/testHost.js';

describe('pairing', () => {
  let host: TestHost;
  let owner: HostClient;
  const logged: string[] = [];
  beforeEach(async () => {
    const note = (message: string) => void logged.push(message);
    host = await startTestHost({ log: { debug: note, info: note, warn: note, error: note } });
    owner = await host.connect();
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    logged.splice(0);
    await host.dispose();
  });

  interface Answer {
    readonly status: number;
    readonly body: {
      readonly error?: string;
      readonly message?: string;
      readonly token?: string;
      readonly words?: string;
      readonly role?: Role;
      readonly device?: { readonly id: string; readonly name: string };
    };
  }

  async function ask(method: string, code: string | undefined, names: Record<string, string> = {}): Promise<Answer> {
    const headers = new Headers(code === undefined ? {} : { authorization: `Pair ${code}` });
    for (const [name, value] of Object.entries(names)) headers.set(`agenthost-${name}`, encodeURIComponent(value));
    const response = await fetch(new URL('/pair', host.url), { method, headers });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  const look = (code: string, device = 'iPhone') => ask('GET', code, { device });
  const redeem = (code: string, device = 'iPhone', user = 'Mira') => ask('POST', code, { device, user });
  const create = (role: Role = 'approver'): Promise<CreatePairingResult> => owner.devices.createPairing({ role });
  const stateOf = async ({ pairing }: CreatePairingResult) => (await owner.devices.fetchPairing(pairing)).state;

  it('leads from a code to a device with its role, and both sides see the same words', async () => {
    const made = await create();
    expect(await stateOf(made)).toBe('waiting');
    const offer = await look(made.code);
    expect(offer).toMatchObject({ status: 200, body: { role: 'approver', words: made.words } });
    expect(await owner.devices.fetchPairing(made.pairing)).toMatchObject({ state: 'scanned', name: 'iPhone' });
    const { status, body } = await redeem(made.code, 'Mira’s iPhone', 'Mira Kovač');
    expect(status).toBe(200);
    expect(await owner.devices.fetchPairing(made.pairing)).toMatchObject({ state: 'connected', name: "Mira's iPhone" });
    expect(logged).toContain("Mira's iPhone has a token of its own now, as approver");
    const phone = await host.connect({ token: body.token as string, clientInfo: { name: 'the owner' } });
    expect(phone.role).toBe('approver');
    expect((await owner.devices.list()).items).toMatchObject([
      { name: "Mira's iPhone", user: 'Mira Kovač', role: 'approver', isConnected: true },
    ]);
  });

  it('the name of its user was given when it was paired, whatever the device claims later', async () => {
    const { body } = await redeem((await create()).code, "Mira's iPhone", 'Mira');
    const watcher = await host.raw(crypto.randomUUID());
    const session = await rawSession([watcher]);
    const phone = await host.connect({ token: body.token as string, clientInfo: { name: 'Ann', device: 'x' } });
    watcher.dispatch({ type: 'session/turnStarted', session, turnId: 't', userMessage: { text: 'confirm-tool' } });
    const handle = await phone.openSession(session);
    await expect.poll(() => handle.pendingConfirmations.value.length, { timeout: 10_000 }).toBe(1);
    await handle.pendingConfirmations.value[0]?.approve();
    expect((await watcher.nextAction(session, 'session/toolCallConfirmed')).by).toMatchObject({
      name: 'Mira',
      device: "Mira's iPhone",
    });
  });

  it('[PAIR1] a code works once: of 100 devices at the same time, exactly one is let in', async () => {
    const { code } = await create();
    const all = await Promise.all(Array.from({ length: 100 }, (_, n) => redeem(code, `phone ${n}`)));
    expect(all.filter(({ status }) => status === 200).length).toBe(1);
    const others = all.filter(({ status }) => status !== 200);
    for (const { status, body } of others) expect([status, body.error]).toEqual([410, 'used']);
    expect((await owner.devices.list()).items.length).toBe(1);
    expect((await look(code)).body.error).toBe('used');
  });

  it('[PAIR2] a code expires after ten minutes', async () => {
    const made = await create();
    const start = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => start + 10 * 60_000 + 1_000);
    expect(await look(made.code)).toMatchObject({ status: 410, body: { error: 'expired' } });
    expect(await redeem(made.code)).toMatchObject({ status: 410, body: { error: 'expired' } });
    expect(await stateOf(made)).toBe('expired');
  });

  it('[PAIR1] a code that was replaced or removed gives nothing', async () => {
    const first = await create('viewer');
    const second = await owner.devices.createPairing({ role: 'driver', replaces: first.pairing });
    expect(await redeem(first.code)).toMatchObject({ status: 401, body: { error: 'unknown' } });
    await owner.devices.removePairing(second.pairing);
    expect(await redeem(second.code)).toMatchObject({ status: 401, body: { error: 'unknown' } });
    expect((await owner.devices.list()).items).toEqual([]);
  });

  it('[PAIR2] a wrong name does not use the code up, and a taken one gets a number', async () => {
    const { code } = await create();
    for (const name of ['', 'owner', '\u202ex', 'a/b'])
      expect(await redeem(code, name)).toMatchObject({ status: 400, body: { error: 'invalidName' } });
    expect((await redeem(code, 'phone')).body.device?.name).toBe('phone');
    expect((await redeem((await create()).code, 'Phone')).body.device?.name).toBe('Phone 2');
  });

  it('guesses are answered with growing delays, and none of them is in the log', async () => {
    const began = performance.now();
    for (let n = 0; n < 4; n++) expect((await redeem(`guess-${n}`)).status).toBe(401);
    // 100, 200, 400 and 800 ms.
    expect(performance.now() - began).toBeGreaterThan(1_300);
    expect(await ask('POST', undefined)).toMatchObject({ status: 401, body: { error: 'missing' } });
    expect(logged.join('\n')).toContain('had no valid code to pair with');
    expect(logged.join('\n')).not.toContain('guess-');
  });

  it('no code is a token, and no token is a code', async () => {
    const { code } = await create('owner');
    await expect(host.connect({ token: code })).rejects.toThrow('refused the credential');
    expect((await redeem(host.token)).status).toBe(401);
  });

  it('neither a wrong method nor a body is of use', async () => {
    const { code } = await create();
    const headers = { authorization: `Pair ${code}`, 'agenthost-device': 'x' };
    for (const method of ['PUT', 'DELETE', 'HEAD'])
      expect((await fetch(new URL('/pair', host.url), { method, headers })).status).toBe(405);
    const body = JSON.stringify({ code, role: 'owner' });
    const answer = await fetch(new URL('/pair', host.url), { method: 'POST', headers, body });
    expect(await answer.json()).toMatchObject({ device: { role: 'approver' } });
  });

  it('says where phones reach the host, as far as it knows', async () => {
    expect((await create()).address).toBeUndefined();
    const publicUrl = new URL('https://agents.example.org');
    const other = await startTestHost({}, { publicUrl });
    const client = await other.connect();
    expect((await client.devices.createPairing({ role: 'viewer' })).address).toBe(publicUrl.href);
    await other.dispose();
  });
});
