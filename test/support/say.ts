import type { SessionHandle } from '@agenthost/client';
import type { Turn } from '@agenthost/protocol';
import { until } from './until.js';

/** What the agent wrote in a turn. */
export function textOf(turn: Pick<Turn, 'responseParts'> | undefined): string {
  return (turn?.responseParts ?? []).map((part) => (part.kind === 'markdown' ? part.content : '')).join('');
}

/** Sends, and waits for the end of the turn; gives back what the agent wrote. */
export async function say(session: SessionHandle, text: string, timeoutMs = 30_000): Promise<string> {
  const before = session.confirmed.value.turns.length;
  await session.send(text);
  const ended = ({ turns }: { turns: readonly Turn[] }) => turns.length > before;
  const { turns } = await until(session.confirmed, ended, `the end of the turn ${text.slice(0, 100)}`, timeoutMs);
  return textOf(turns.at(-1));
}
