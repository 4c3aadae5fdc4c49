import type { EventLog } from '../../storage/log/eventLog.js';

/** All that a call has printed according to the log, in order. */
export async function* printedOutput(log: EventLog, turnId: string, toolCallId: string): AsyncGenerator<string> {
  for await (const record of log.load()) {
    if (record.type !== 'action' || record.action.type !== 'session/toolUpdate') continue;
    const { action } = record;
    if (action.turnId === turnId && action.toolCallId === toolCallId && action.output !== undefined)
      yield action.output;
  }
}
