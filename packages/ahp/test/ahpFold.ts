// What a client of the public protocol makes of the actions that it gets. Written from the protocol's description alone, so
// that it shares no rule, and no mistake, with the translator: a client in the field has its own reducers as well.

// biome-ignore-all lint/suspicious/noExplicitAny: states of a protocol that this side does not define

export interface Dialect {
  /** 0.9: an error is the last part of its turn. Before: a field. */
  readonly errorPart: boolean;
  /** 0.8: questions are parts. Before: a list beside the turns. */
  readonly inputPart: boolean;
  readonly failed: string;
  /** 0.9: the times of a chat come from its turns. Before: from the client's clock. */
  readonly derivesTime: boolean;
}

const NOT_ACTIVITY = ~31;

export function foldSession(state: any, action: any, { failed }: Dialect): any {
  const { type } = action;
  if (type === 'session/ready') return { ...state, lifecycle: 'ready' };
  if (type === 'session/creationFailed') return { ...state, lifecycle: failed, creationError: action.error };
  if (type === 'session/titleChanged') return { ...state, title: action.title };
  if (type === 'session/isReadChanged') return { ...state, status: flag(state.status, 32, action.isRead) };
  if (type === 'session/isArchivedChanged') return { ...state, status: flag(state.status, 64, action.isArchived) };
  if (type === 'session/activityChanged') return { ...state, activity: action.activity };
  if (type === 'session/configChanged') {
    const values = action.replace === true ? action.config : { ...state.config?.values, ...action.config };
    return { ...state, config: { ...state.config, values } };
  }
  if (type === 'session/metaChanged') return { ...state, _meta: action._meta };
  if (type === 'session/chatUpdated') {
    const chats = state.chats.map((chat: any) =>
      chat.resource === action.chat ? { ...chat, ...action.changes } : chat,
    );
    return { ...state, chats };
  }
  throw new Error(`a session knows nothing of ${type}`);
}

export function foldChat(state: any, action: any, dialect: Dialect): any {
  switch (action.type) {
    case 'chat/turnStarted':
      return turnStarted(state, action);
    case 'chat/delta':
      return withPart(state, action, (part) => append(part, 'markdown', action.content));
    case 'chat/reasoning':
      return withPart(state, action, (part) => append(part, 'reasoning', action.content));
    case 'chat/responsePart':
      return withParts(state, action.turnId, (parts) => [...parts, action.part]);
    case 'chat/usage':
      return { ...state, activeTurn: { ...active(state, action.turnId), usage: action.usage } };
    case 'chat/activityChanged':
      return { ...state, activity: action.activity };
    case 'chat/turnComplete':
      return ended(state, action, 'complete', []);
    case 'chat/turnCancelled':
      return ended(state, action, 'cancelled', []);
    case 'chat/error':
      return dialect.errorPart
        ? ended(state, action, 'error', [action.part])
        : ended(state, action, 'error', [], action.error);
    case 'chat/draftChanged':
      return { ...state, draft: action.draft };
    case 'chat/toolCallStart': {
      const { toolCallId, toolName, displayName, _meta } = action;
      const toolCall = { toolCallId, toolName, displayName, _meta, status: 'streaming' };
      return withParts(state, action.turnId, (parts) => [...parts, { kind: 'toolCall', toolCall }]);
    }
    case 'chat/toolCallReady':
      return status(withCall(state, action, (call) => ready(call, action)));
    case 'chat/toolCallConfirmed':
      return status(withCall(state, action, (call) => confirmed(call, action)));
    case 'chat/toolCallContentChanged':
      return withCall(state, action, (call) =>
        expectStatus(call, ['running'], () => ({ ...call, content: action.content })),
      );
    case 'chat/toolCallComplete':
      return status(withCall(state, action, (call) => completed(call, action)));
    case 'chat/inputRequested':
      return inputRequested(state, action.request, dialect);
    case 'chat/inputCompleted':
      return inputCompleted(state, action, dialect);
    case 'chat/pendingMessageSet':
      return pendingSet(state, action);
    case 'chat/pendingMessageRemoved':
      return pendingRemoved(state, action);
    case 'chat/queuedMessagesReordered': {
      const queue = action.order.map((id: string) => state.queuedMessages.find((message: any) => message.id === id));
      if (queue.includes(undefined) || queue.length !== state.queuedMessages.length) throw new Error('not an order');
      return { ...state, queuedMessages: queue };
    }
    default:
      throw new Error(`a chat knows nothing of ${action.type}`);
  }
}

function turnStarted(state: any, { turnId, startedAt, message, queuedMessageId }: any): any {
  if (state.activeTurn) throw new Error('a turn in a turn');
  const left = (state.queuedMessages ?? []).filter(({ id }: any) => id !== queuedMessageId);
  return status({
    ...state,
    activeTurn: { id: turnId, startedAt, message, responseParts: [], usage: undefined },
    modifiedAt: startedAt,
    steeringMessage: state.steeringMessage?.id === queuedMessageId ? undefined : state.steeringMessage,
    queuedMessages: left.length > 0 ? left : undefined,
  });
}

function ended(state: any, { turnId, duration }: any, how: string, more: any[], error?: any): any {
  const { responseParts, ...turn } = active(state, turnId);
  const parts = responseParts.map((part: any) => {
    if (part.kind !== 'toolCall' || ['completed', 'cancelled'].includes(part.toolCall.status)) return part;
    const { toolCallId, toolName, displayName, _meta, invocationMessage, toolInput } = part.toolCall;
    const base = { toolCallId, toolName, displayName, _meta, invocationMessage, toolInput };
    return { kind: 'toolCall', toolCall: { ...base, status: 'cancelled', reason: 'skipped' } };
  });
  const done = { ...turn, responseParts: [...parts, ...more], duration, state: how, error };
  const modifiedAt = new Date(Date.parse(turn.startedAt) + duration).toISOString();
  const next = { ...state, activeTurn: undefined, inputRequests: undefined, turns: [...state.turns, done], modifiedAt };
  return how === 'error' ? { ...next, status: (next.status & NOT_ACTIVITY) | 2 } : status(next);
}

function ready(call: any, action: any): any {
  return expectStatus(call, ['streaming', 'running', 'pending-confirmation'], () => {
    const { toolCallId, toolName, displayName } = call;
    const _meta = action._meta ?? call._meta;
    const { invocationMessage, toolInput } = action;
    const base = {
      toolCallId,
      toolName,
      displayName,
      _meta,
      invocationMessage,
      toolInput: toolInput ?? call.toolInput,
    };
    if (action.confirmed) return { ...base, status: 'running', confirmed: action.confirmed };
    const old = call.status === 'pending-confirmation' ? call : {};
    return {
      ...base,
      status: 'pending-confirmation',
      confirmationTitle: action.confirmationTitle ?? old.confirmationTitle,
      editable: action.editable ?? old.editable,
      options: action.options ?? old.options,
    };
  });
}

function confirmed(call: any, action: any): any {
  return expectStatus(call, ['pending-confirmation'], () => {
    const { toolCallId, toolName, displayName, invocationMessage, toolInput, options = [] } = call;
    const base = { toolCallId, toolName, displayName, _meta: action._meta ?? call._meta, invocationMessage };
    const selectedOption = options.find(({ id }: any) => id === action.selectedOptionId);
    if (action.approved) {
      return {
        ...base,
        toolInput: action.editedToolInput ?? toolInput,
        status: 'running',
        confirmed: action.confirmed,
        selectedOption,
      };
    }
    const { reason, reasonMessage } = action;
    return { ...base, toolInput, status: 'cancelled', reason, reasonMessage, selectedOption };
  });
}

function completed(call: any, action: any): any {
  return expectStatus(call, ['running'], () => {
    const { content: _, ...rest } = call;
    return { ...rest, status: 'completed', ...action.result };
  });
}

function inputRequested(state: any, request: any, { inputPart }: Dialect): any {
  if (!inputPart) return status({ ...state, inputRequests: [...(state.inputRequests ?? []), request] });
  return status(withParts(state, state.activeTurn.id, (parts) => [...parts, { kind: 'inputRequest', request }]));
}

function inputCompleted(state: any, { requestId, response }: any, { inputPart }: Dialect): any {
  if (!inputPart) {
    const left = (state.inputRequests ?? []).filter(({ id }: any) => id !== requestId);
    if (left.length === (state.inputRequests ?? []).length) throw new Error(`nobody asked ${requestId}`);
    return status({ ...state, inputRequests: left.length > 0 ? left : undefined });
  }
  let found = false;
  const next = withParts(state, state.activeTurn.id, (parts) =>
    parts.map((part: any) => {
      if (part.kind !== 'inputRequest' || part.response || part.request.id !== requestId) return part;
      found = true;
      return { ...part, response };
    }),
  );
  if (!found) throw new Error(`nobody asked ${requestId}`);
  return status(next);
}

function pendingSet(state: any, { kind, id, message }: any): any {
  if (kind === 'steering') return { ...state, steeringMessage: { id, message } };
  const queue = state.queuedMessages ?? [];
  const known = queue.some((entry: any) => entry.id === id);
  const next = known
    ? queue.map((entry: any) => (entry.id === id ? { id, message } : entry))
    : [...queue, { id, message }];
  return { ...state, queuedMessages: next };
}

function pendingRemoved(state: any, { kind, id }: any): any {
  if (kind === 'steering') {
    if (state.steeringMessage?.id !== id) throw new Error(`${id} does not steer`);
    return { ...state, steeringMessage: undefined };
  }
  const left = (state.queuedMessages ?? []).filter((entry: any) => entry.id !== id);
  if (left.length === (state.queuedMessages ?? []).length) throw new Error(`${id} is not in the queue`);
  return { ...state, queuedMessages: left.length > 0 ? left : undefined };
}

/** Derived by the client itself: what a chat does is not sent. */
function status(state: any): any {
  const parts = state.activeTurn?.responseParts ?? [];
  const asks = parts.some(
    (part: any) => (part.kind === 'inputRequest' && !part.response) || part.toolCall?.status === 'pending-confirmation',
  );
  const activity = asks || state.inputRequests ? 24 : state.activeTurn ? 8 : 1;
  return { ...state, status: (state.status & NOT_ACTIVITY) | activity };
}

function active(state: any, turnId: string): any {
  if (state.activeTurn?.id !== turnId) throw new Error(`${turnId} is not the turn that runs`);
  return state.activeTurn;
}

function withParts(state: any, turnId: string, change: (parts: any[]) => any[]): any {
  const turn = active(state, turnId);
  return { ...state, activeTurn: { ...turn, responseParts: change(turn.responseParts) } };
}

function withPart(state: any, { turnId, partId }: any, change: (part: any) => any): any {
  return withParts(state, turnId, (parts) => {
    const index = parts.findIndex((part) => (part.toolCall?.toolCallId ?? part.id) === partId);
    if (index < 0) throw new Error(`there is no part ${partId}`);
    return parts.with(index, change(parts[index]));
  });
}

function withCall(state: any, { turnId, toolCallId }: any, change: (call: any) => any): any {
  return withPart(state, { turnId, partId: toolCallId }, (part) => ({ ...part, toolCall: change(part.toolCall) }));
}

function append(part: any, kind: string, content: string): any {
  if (part.kind !== kind) throw new Error(`${part.kind} is no ${kind}`);
  return { ...part, content: part.content + content };
}

/** A client ignores what does not fit; here it is a mistake of who sent it. */
function expectStatus(call: any, statuses: string[], next: () => any): any {
  if (!statuses.includes(call.status)) throw new Error(`a call that is ${call.status} is not ${statuses.join(', ')}`);
  return next();
}

function flag(status: number, bit: number, on: boolean): number {
  return on ? status | bit : status & ~bit;
}
