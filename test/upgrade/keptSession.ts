import { createHash } from 'node:crypto';
import type { HostClient } from '@agenthost/client';
import { parseContentUri } from '@agenthost/protocol/internal';
import type { KeptSession } from './corpusFile.ts';

/** All that a client can see of a session, in a form that can be compared. `lacks` is told what the host has not got. */
export async function keptSession(host: HostClient, uri: string, lacks: Set<string> = new Set()): Promise<KeptSession> {
  const session = await host.openSession(uri);
  const older = [];
  for await (const turn of session.history()) older.unshift(turn);
  const { summary, turns: newest, activeTurn, queuedMessages } = session.confirmed.value;
  const turns = [...older, ...newest];
  const contents: Record<string, string> = {};
  for (const [, ref = ''] of JSON.stringify(turns).matchAll(/"uri":"([^"]+)"/g)) {
    if (parseContentUri(ref)) contents[ref] = hash((await host.fetchContent(ref)).bytes);
  }
  const plan = await orLacking(lacks, 'artifacts', async () => {
    for await (const artifact of session.artifacts()) {
      contents[artifact.uri] = hash((await session.readArtifact(artifact)).bytes);
    }
    return session.plan();
  });
  session.close();
  return {
    uri,
    summary,
    turns,
    ...(activeTurn && { activeTurn }),
    ...(queuedMessages && { queuedMessages }),
    ...(plan !== undefined && { plan }),
    contents,
  };
}

/** What an older host has no command for is left out. */
export async function orLacking<T>(lacks: Set<string>, what: string, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'CommandFailedError' && name !== 'CapabilityMissingError') throw error;
    lacks.add(what);
    return undefined;
  }
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
