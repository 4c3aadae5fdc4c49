import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Observable, SessionHandle } from '@agenthost/client';
import { type Agent, Host, MockAgent, ShellAgent } from '@agenthost/host';

export interface ExampleHost {
  /** The options of `connect`. For your own host: the two halves of the link that `npm start` prints. */
  readonly url: URL;
  readonly token: string;
  readonly stateDir: string;
  close(): Promise<void>;
}

/** A host for one example: on a free port, with a state folder that is removed with it. */
export async function exampleHost(
  agents: readonly Agent[] = [new ShellAgent(), new MockAgent()],
): Promise<ExampleHost> {
  const stateDir = await mkdtemp(join(tmpdir(), 'agenthost-example-'));
  const host = await Host.start({ stateDir, agents, defaultDirectory: stateDir });
  const { url, token } = await host.listen();
  return {
    url,
    token,
    stateDir,
    async close() {
      await host.close();
      await rm(stateDir, { recursive: true, force: true });
    },
  };
}

/** Resolves with the value of an observable as soon as it matches. */
export function when<T>(observable: Observable<T>, fits: (value: T) => boolean): Promise<T> {
  return new Promise((resolve) => {
    const look = (value: T) => {
      if (!fits(value)) return;
      resolve(value);
      queueMicrotask(() => following.dispose());
    };
    const following = observable.subscribe(look);
    look(observable.value);
  });
}

/** Resolves when the turn with this id has ended. */
export async function ended(session: SessionHandle, turnId: string) {
  const { turns } = await when(session.confirmed, ({ turns }) => turns.some(({ id }) => id === turnId));
  const turn = turns.find(({ id }) => id === turnId);
  if (!turn) throw new Error(`there is no turn ${turnId}`);
  return { ...turn, text: turn.responseParts.map((part) => (part.kind === 'markdown' ? part.content : '')).join('') };
}
