import { isSafeKey, MAX_ID_LENGTH, MAX_TITLE_LENGTH } from '@agenthost/protocol/internal';
import type { AgentEvent } from '../agent.js';
import type { AgentAction } from './agentAction.js';
import type { MappedEvent } from './agentEventMapper.js';
import { oneLine } from './boundedText.js';

/** Maps an event of the session, which may also come between turns; `undefined` for an event of a turn. */
export function mapSessionEvent(event: AgentEvent): MappedEvent | undefined {
  switch (event.type) {
    case 'title':
    case 'mode': {
      const action = sessionAction(event);
      return action ? { actions: [action] } : { actions: [] };
    }
    case 'checkpoint': {
      const { title, markdown } = event;
      return { actions: [], artifact: { kind: 'checkpoint', title: oneLine(title, MAX_TITLE_LENGTH), markdown } };
    }
    default:
      return undefined;
  }
}

/** `undefined` when the event is empty. */
function sessionAction(event: Extract<AgentEvent, { type: 'title' | 'mode' }>): AgentAction | undefined {
  if (event.type === 'title') {
    const title = oneLine(event.title, MAX_TITLE_LENGTH);
    return title ? { type: 'session/titleChanged', title } : undefined;
  }
  if (!event.mode) return { type: 'session/modeChanged' };
  const id = oneLine(event.mode.id, MAX_ID_LENGTH);
  const name = oneLine(event.mode.name ?? '', MAX_TITLE_LENGTH);
  return id && isSafeKey(id) ? { type: 'session/modeChanged', mode: { id, ...(name && { name }) } } : undefined;
}
