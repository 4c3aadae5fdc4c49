import { setImmediate as tick } from 'node:timers/promises';
import { ConnectionLostError, type SessionHandle } from '@agenthost/client';
import type { PendingMessage, URI } from '@agenthost/protocol';
import { checkPredictions } from './checks.js';
import { markOf, type Operation } from './journal.js';
import { askReview } from './review.js';
import type { ClientStep, Step } from './steps.js';
import type { TestClient } from './testClient.js';
import type { TestWorld } from './testWorld.js';
import type { World } from './world.js';

/** Does one step of a world with one host. */
export async function play(world: World, step: Step): Promise<void> {
  switch (step.do) {
    case 'restartHost':
      world.journal.note(JSON.stringify(step));
      await world.restartHost();
      return step.wait ? world.restarted() : undefined;
    case 'killHost':
      world.journal.note(JSON.stringify(step));
      return world.killHost(step.lastFramesArrive);
    case 'hiccup':
      world.journal.note(JSON.stringify(step));
      return world.hiccup(step.session, step.fails);
    default:
      return playClient(world, step);
  }
}

/** Does a step of a client. What needs something that isn't there (a handle, a prompt, a pending message) does nothing. */
export async function playClient(world: TestWorld, step: ClientStep): Promise<void> {
  world.journal.note(JSON.stringify(step));
  if (step.do === 'run') {
    for (let left = step.ticks; left > 0; left--) await tick();
    // A turn of the event loop ago nothing was left to do: what was settled is in the journal.
    checkPredictions(world);
    return;
  }
  const client = world.clients[step.client % world.clients.length];
  if (!client) return;
  if (step.do === 'settle') return settle(client, world);
  if (playOnWire(world, client, step)) return;
  if (step.do === 'create') return create(world, client);
  if (!('session' in step)) return;
  const uri = world.sessions[step.session % world.sessions.length];
  if (uri === undefined) return;
  if (step.do === 'recreate') recreate(world, client, uri);
  else if (step.do === 'open') open(world, client, uri, step.turns);
  else if (step.do === 'remove') remove(world, client, uri);
  else playOnSession(world, client, uri, step);
  // What is sent in one step leaves before the next one.
  await Promise.resolve();
}

/** Says whether it was such a step. */
function playOnWire(world: TestWorld, client: TestClient, step: ClientStep): boolean {
  switch (step.do) {
    case 'hold':
      client.held[step.lane] = true;
      client.wire?.[step.lane].hold();
      return true;
    case 'deliver':
      client.wire?.[step.lane].deliver(step.count);
      return true;
    case 'release':
      release(client);
      return true;
    case 'duplicate':
      client.wire?.toHost.duplicate(step.late);
      return true;
    case 'cut':
      if (step.offline) world.setOnline(client, false);
      if (step.hostNotices) client.wire?.cut();
      else client.wire?.cutForClient();
      return true;
    case 'online':
      world.setOnline(client, true);
      return true;
    case 'crashClient': {
      const open = [...client.handles.keys()];
      client.crash(step);
      for (const uri of open) openAgain(world, client, uri);
      return true;
    }
    default:
      return false;
  }
}

export function release(client: TestClient): void {
  client.held.toHost = false;
  client.held.toClient = false;
  for (const wire of client.wires) {
    wire.toHost.release();
    wire.toClient.release();
  }
}

function create(world: TestWorld, client: TestClient): void {
  if (world.sessions.length >= 3) return;
  const session = world.nextSession();
  const { clientId, connection } = client;
  const created = connection.createSession({ provider: 'mock', session });
  world.journal.add({ kind: 'create', clientId, session }, keep(client, session, created));
}

/** Under a URI that was used before; refused where that session is still there. Not the first one. */
function recreate({ journal, sessions }: TestWorld, client: TestClient, session: URI): void {
  if (session === sessions[0]) return;
  const { clientId, connection } = client;
  const created = connection.createSession({ provider: 'mock', session });
  journal.add({ kind: 'recreate', clientId, session }, keep(client, session, created));
}

function open(world: TestWorld, client: TestClient, session: URI, turns: number): void {
  if (!isOpen(client, session)) openAgain(world, client, session, turns);
}

function isOpen({ handles }: TestClient, session: URI): boolean {
  const handle = handles.get(session);
  return handle !== undefined && handle.gone.value === undefined;
}

function openAgain(world: TestWorld, client: TestClient, session: URI, turns?: number): void {
  const { clientId, connection } = client;
  const opened = connection.openSession(session, turns === undefined ? {} : { turns });
  world.journal.add({ kind: 'open', clientId, session }, keep(client, session, opened));
}

/** Not the first session: there is always one that all clients can watch. */
function remove({ journal, sessions }: TestWorld, { clientId, connection }: TestClient, session: URI): void {
  if (session !== sessions[0]) journal.add({ kind: 'remove', clientId, session }, connection.disposeSession(session));
}

/** The handle is the client's, unless it has died or opened another one meanwhile. */
async function keep(client: TestClient, uri: URI, opening: Promise<SessionHandle>): Promise<void> {
  const { connection } = client;
  const handle = await opening;
  if (client.connection === connection && !isOpen(client, uri)) client.handles.set(uri, handle);
  else handle.dispose();
}

function playOnSession(world: TestWorld, client: TestClient, session: URI, step: ClientStep): void {
  const handle = client.handles.get(session);
  if (!handle) return;
  if (step.do === 'close') {
    handle.dispose();
    client.handles.delete(session);
    return;
  }
  const before = client.lastClientSeq;
  const asked = ask(world, handle, step);
  if (!asked) return;
  const clientSeq = client.lastClientSeq > before ? client.lastClientSeq : undefined;
  const { clientId } = client;
  const { mark, predicts, answered } = asked;
  world.journal.add({ kind: step.do, clientId, session, mark, clientSeq, predicts }, answered);
}

interface Asked {
  readonly answered: Promise<unknown>;
  readonly mark?: string | undefined;
  readonly predicts?: Operation['predicts'];
}

function ask(world: TestWorld, handle: SessionHandle, step: ClientStep): Asked | undefined {
  switch (step.do) {
    case 'send':
    case 'queue':
    case 'steer': {
      const mark = world.nextMark();
      return { mark, answered: handle[step.do](`${step.prompt} ${mark}`) };
    }
    case 'edit':
    case 'takeBack': {
      const message = pendingOf(handle, step.pick);
      const mark = message && markOf(message.userMessage.text);
      if (!message || mark === undefined) return undefined;
      if (step.do === 'takeBack') return { mark, answered: handle.removePending(message.id) };
      return { mark, answered: handle.editPending(message.id, `hello ${mark} edited-${world.nextMark()}`) };
    }
    case 'reorder': {
      const order = (handle.state.value.queuedMessages ?? []).map(({ id }) => id).toReversed();
      return { answered: handle.reorderQueue(order) };
    }
    case 'comment':
    case 'sendComments':
    case 'uncomment':
    case 'resolve':
      return askReview(handle, step, () => world.nextMark());
    case 'rename': {
      const mark = world.nextMark();
      const title = `title ${mark}`;
      return { mark, predicts: { title }, answered: handle.rename(title) };
    }
    case 'cancel':
      return { answered: handle.cancel() };
    case 'answer':
      return answer(handle, step.approve);
    case 'read':
      return { answered: handle.markRead(step.value) };
    case 'archive':
      return { predicts: { isArchived: step.value }, answered: handle.archive(step.value) };
    case 'loadEarlier':
      return { answered: handle.loadEarlierTurns(1) };
    case 'model':
      return { predicts: { model: step.model }, answered: handle.setModel(step.model) };
    default:
      return undefined;
  }
}

function answer(handle: SessionHandle, approved: boolean): Asked | undefined {
  const [confirmation] = handle.pendingConfirmations.value;
  const [permission] = handle.pendingPermissions.value;
  if (confirmation) return { answered: approved ? confirmation.approve() : confirmation.deny({ reason: 'no' }) };
  return permission && { answered: permission.answer({ approved }) };
}

/** Until the host has answered what this client said so far, if frames flow. */
async function settle(client: TestClient, { hasOneCounter }: TestWorld): Promise<void> {
  if (!client.online || client.held.toHost || client.held.toClient) return;
  await client.connection.ping().catch((error: unknown) => {
    // In a cluster a host ends connections by itself when their session goes to another one, at any time after it is told so.
    if (hasOneCounter || !(error instanceof ConnectionLostError)) throw error;
  });
}

function pendingOf(handle: SessionHandle, pick: number): PendingMessage | undefined {
  const { steeringMessage, queuedMessages = [] } = handle.state.value;
  const pending = [...(steeringMessage ? [steeringMessage] : []), ...queuedMessages];
  return pending[pick % Math.max(pending.length, 1)];
}
