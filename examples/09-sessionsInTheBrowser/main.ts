// A page that keeps its sessions in the browser (OPFS): close it, start another host, come back, and continue.
import { connect, type SessionHandle } from '@agenthost/client';
import { opfsSessionFs } from './opfsSessionFs.js';

const PROVIDER = 'mock';
const STATE_PATH = '/state';
const { url = '', token = '' } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

/** One folder per session, named by its id. */
const root = navigator.storage.getDirectory().then((folder) => folder.getDirectoryHandle('sessions', { create: true }));
const createSessionFsHandler = (uri: string) => {
  const id = uri.slice(uri.indexOf('/') + 1);
  return opfsSessionFs(root.then((folder) => folder.getDirectoryHandle(id, { create: true })));
};

async function turn(session: SessionHandle): Promise<void> {
  const id = await session.send('hello');
  await new Promise<void>((resolve) => {
    const look = ({ turns }: typeof session.confirmed.value) => turns.some((turn) => turn.id === id) && resolve();
    session.confirmed.subscribe(look);
    look(session.confirmed.value);
  });
}

async function run() {
  const sessionFs = { initialCwd: '/tmp', sessionStatePath: STATE_PATH, conventions: 'posix' } as const;
  const host = await connect({ url, token, sessionFs });
  const kept: string[] = [];
  for await (const id of (await root).keys()) kept.push(`${PROVIDER}:/${id}`);
  for (const uri of kept) await host.openSession(uri, { createSessionFsHandler });
  const listed = (await host.listSessions()).items.map(({ resource }) => resource);
  const [first] = kept;
  const session =
    first === undefined
      ? await host.createSession({ provider: PROVIDER, createSessionFsHandler })
      : await host.openSession(first, { createSessionFsHandler });
  await session.ready();
  const before = session.confirmed.value.turns.length;
  await turn(session);
  const { turns } = session.confirmed.value;
  if (turns.length !== before + 1) throw new Error(`${turns.length} turns after ${before} and one more`);
  if (listed.join() !== kept.join()) throw new Error(`the host lists ${listed}, but ${kept} are kept here`);
  return { session: session.uri, found: kept, turns: turns.map(({ userMessage, state }) => [userMessage.text, state]) };
}

const outcome = await run().catch((error: unknown) => ({ error: String(error) }));
const output = document.querySelector('output');
if (output) output.textContent = JSON.stringify(outcome, undefined, 2);
