import { randomUUID } from 'node:crypto';
import type { ResponsePart } from '@agenthost/protocol';
import { INLINE_CONTENT_LIMIT, type PermissionResolvedAction } from '@agenthost/protocol/internal';
import { headAndTail } from '../../agents/events/boundedText.js';

/** Shows all clients how a request was answered, when the request itself is gone from the state. */
export function permissionNotice({
  by,
  text,
  approved,
}: PermissionResolvedAction): Extract<ResponsePart, { kind: 'notice' }> {
  const who = by?.name ?? by?.clientId ?? 'the host';
  const said = headAndTail(text ?? (approved ? 'allowed' : 'denied'), INLINE_CONTENT_LIMIT);
  return { kind: 'notice', id: `answer-${randomUUID()}`, text: `${who}: ${said}`, severity: 'info' };
}
