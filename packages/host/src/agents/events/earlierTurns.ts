import type { AgentEvent, Transcript } from '../agent.js';

/** What an agent that does not have the earlier turns is given with its next message, and what the conversation says of it. */
export interface EarlierTurns {
  readonly texts: readonly string[];
  readonly notice: AgentEvent;
}

/** `why` is set when the agent should have had a memory of its own. */
export function earlierTurns(agent: string, transcript?: Transcript, why?: string): EarlierTurns | undefined {
  if (transcript) return { texts: [recordOf(transcript)], notice: noticeOf(agent, transcript, why) };
  return why === undefined ? undefined : { texts: [], notice: { type: 'notice', severity: 'warning', text: why } };
}

/** The text that gives an agent a memory of turns that it was not there for. It follows the message: agents make a title of a start. */
function recordOf({ text }: Transcript): string {
  return (
    '[The record of this conversation before the message above. It may have been held with another agent. ' +
    `Take it as your own memory, and do not do again what was done.]\n\n${text}\n\n[The end of the record.]`
  );
}

function noticeOf(agent: string, { turns, isWhole }: Transcript, why?: string): AgentEvent {
  const which =
    turns === 1 ? `the ${isWhole ? 'earlier' : 'last'} turn` : `the ${isWhole ? '' : 'last '}${turns} turns`;
  const given = `${agent} was given ${which}${isWhole && turns > 1 ? ' before this one' : ''} as text.`;
  if (why === undefined) return { type: 'notice', severity: 'info', text: given };
  return { type: 'notice', severity: 'warning', text: `${why} ${given}` };
}
