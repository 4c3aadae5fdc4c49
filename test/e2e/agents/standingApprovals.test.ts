import { rm } from 'node:fs/promises';
import type { HostClient, SessionHandle } from '@agenthost/client';
import { ROLES, type Role } from '@agenthost/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DeviceTokens } from '../../../packages/host/src/server/access/deviceTokens.js';
import { startTestHost, type TestHost, temporaryFolder } from '../../support/testHost.js';
import { until } from '../../support/until.js';

const COVERS = 'Every command in this session';
const ALWAYS = { id: 'always', covers: COVERS, isRevocable: true };
const NONE = 'no approval with this id can be revoked here';

const tokens = new Map<Role, string>();
let stateDir: string;
let host: TestHost;
let alice: HostClient;

beforeAll(async () => {
  stateDir = await temporaryFolder();
  for (const role of ROLES) tokens.set(role, await new DeviceTokens(stateDir).add(`the ${role}`, role));
  host = await startTestHost({ stateDir });
  alice = await host.connect();
});
afterAll(async () => {
  await host.dispose();
  await rm(stateDir, { recursive: true, force: true });
});

async function as(role: Role, uri: string): Promise<SessionHandle> {
  return (await host.connect({ token: tokens.get(role) ?? '' })).openSession(uri);
}

async function asked(session: SessionHandle) {
  const [prompt] = await until(session.pendingConfirmations, (prompts) => prompts.length === 1, 'the question');
  if (!prompt) throw new Error('nobody asked');
  return prompt;
}

const over = (session: SessionHandle, turnId: string) =>
  until(session.confirmed, ({ turns }) => turns.some(({ id }) => id === turnId), 'the end of the turn', 20_000);

async function alwaysAllowed(): Promise<SessionHandle> {
  const session = await alice.createSession({ provider: 'shell' });
  await session.ready();
  const turnId = await session.send('echo one');
  const prompt = await asked(session);
  const covered = prompt.toolCall.confirmation.options?.map((option) => option.covers);
  expect(covered).toEqual([undefined, COVERS, undefined]);
  await prompt.approve({ optionId: 'always' });
  await over(session, turnId);
  expect(session.confirmed.value.approvals).toEqual([ALWAYS]);
  return session;
}

it('"always" says what it covers, and is revoked by whoever may answer', { timeout: 60_000 }, async () => {
  const session = await alwaysAllowed();
  const viewer = await as('viewer', session.uri);
  expect(viewer.confirmed.value.approvals).toEqual([ALWAYS]);
  await expect(viewer.revokeApproval('always')).rejects.toThrow('role');
  const approver = await as('approver', session.uri);
  await expect(approver.revokeApproval('never')).rejects.toThrow(NONE);
  // A command that runs goes on; the next one asks.
  const running = await session.send('sleep 1000 & echo "up $!"; wait');
  const isUp = () =>
    Object.values(session.confirmed.value.activeTurn?.toolCalls ?? {}).some(
      (call) => call.status === 'running' && /up \d+/.test(call.output?.text ?? ''),
    );
  await until(session.confirmed, isUp, 'the command');
  const twice = await Promise.allSettled([approver.revokeApproval('always'), session.revokeApproval('always')]);
  expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await until(viewer.confirmed, ({ approvals }) => approvals === undefined, 'no approval');
  expect(session.confirmed.value.activeTurn?.id).toBe(running);
  await session.cancel();
  await session.send('echo two');
  await (await asked(session)).deny();
  await expect(approver.revokeApproval('always')).rejects.toThrow(NONE);
});

it('"always" is in no fork, and ends with the host', { timeout: 60_000 }, async () => {
  const session = await alwaysAllowed();
  const fork = await alice.forkSession({ source: session.uri });
  expect(fork.confirmed.value.approvals).toBeUndefined();
  await fork.send('echo three');
  await (await asked(fork)).deny();
  await host.dispose();
  host = await startTestHost({ stateDir });
  alice = await host.connect();
  const reopened = await alice.openSession(session.uri);
  expect(reopened.confirmed.value).toMatchObject({ turns: [{ state: 'complete' }] });
  expect(reopened.confirmed.value.approvals).toBeUndefined();
  await reopened.send('echo four');
  await (await asked(reopened)).deny();
});
