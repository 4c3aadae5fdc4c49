import type { Message, Observable } from '@agenthost/client';
import type { SessionState, Turn, UserMessage } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import { NotSupportedError } from '../errors.js';
import { computed, constant } from '../observable.js';
import { type Chat, SessionStatus, type URI } from '../session.js';
import type { ChatFeature, ChatModel, ChatPhase } from './chatModel.js';

export interface ChatModelOfOptions {
  readonly chat: Chat;
  readonly sessionType: string;
  /** What was said, the oldest first. */
  readonly turns: Observable<readonly Turn[]>;
  readonly workingDirectory?: URI;
  /** Takes a message, under an id that it has every time that it is sent. Without it the chat can only be read. */
  readonly submit?: (message: UserMessage, id: string) => Promise<void>;
  /** What else can be done with it. */
  readonly actions?: Partial<Pick<ChatModel, 'rename' | 'setModel' | 'markRead' | 'archive' | 'dispose'>>;
}

const OPEN = constant<ChatPhase>({ state: 'open' });
const NONE = constant<readonly never[]>([]);
const NO_FEATURES: ReadonlySet<ChatFeature> = new Set();
const CAN_SUBMIT: ReadonlySet<ChatFeature> = new Set(['submit']);

/**
 * A chat model of a list of turns that is there at once and never asks for anything. For providers that have their conversations at
 * hand.
 *
 * @example
 * ```ts
 * import type { Turn } from '@agenthost/protocol';
 *
 * const turns = observable<readonly Turn[]>([]);
 * const model = chatModelOf({ chat, sessionType: 'notes', turns });
 * ```
 */
export function chatModelOf(options: ChatModelOfOptions): ChatModel {
  const { chat, submit, actions = {} } = options;
  const { resource } = chat;
  const unsupported = (what: string) => async (): Promise<never> => {
    throw new NotSupportedError(`${resource} can't be ${what}: its provider does not support that`);
  };
  const state = computed((): SessionState => stateOf(options), sameState);
  return {
    resource,
    supports: submit ? CAN_SUBMIT : NO_FEATURES,
    phase: OPEN,
    state,
    confirmed: state,
    confirmations: NONE,
    permissions: NONE,
    opened: async () => {},
    retryNow: () => {},
    submit: async (message: Message, id: string = crypto.randomUUID()) => {
      if (!submit) throw new NotSupportedError(`${resource} can only be read`);
      await submit(typeof message === 'string' ? { text: message } : message, id);
      return id;
    },
    steer: unsupported('steered'),
    editPending: unsupported('queued to'),
    removePending: unsupported('queued to'),
    reorderQueue: unsupported('queued to'),
    confirm: unsupported('asked'),
    answer: unsupported('asked'),
    sendInput: unsupported('given input'),
    cancel: unsupported('stopped'),
    resumeQueue: unsupported('queued to'),
    rename: unsupported('renamed'),
    setModel: unsupported('given a model'),
    chooseSetting: unsupported('given settings'),
    markRead: unsupported('marked as read'),
    archive: unsupported('archived'),
    revokeApproval: unsupported('asked again'),
    toggleCustomization: unsupported('customized'),
    loadEarlierTurns: async () => 0,
    trimTurns: () => {},
    wholeMessage: async (message) => message,
    wholeInput: async ({ toolInput = '' }) => toolInput,
    earlierSteps: async () => ({ steps: [], earlier: 0 }),
    fetchContent: unsupported('asked for content'),
    listArtifacts: async () => [],
    dispose: () => {},
    ...actions,
  };
}

const STATUS = {
  [SessionStatus.Untitled]: 'idle',
  [SessionStatus.Completed]: 'idle',
  [SessionStatus.InProgress]: 'inProgress',
  [SessionStatus.NeedsInput]: 'inputNeeded',
  [SessionStatus.Error]: 'error',
} as const;

function sameState(a: SessionState, b: SessionState): boolean {
  return a.turns === b.turns && sameValue(a.summary, b.summary);
}

function stateOf({ chat, sessionType, turns, workingDirectory }: ChatModelOfOptions): SessionState {
  const changes = chat.changes.value;
  const model = chat.modelId.value;
  const activity = chat.description.value;
  return {
    summary: {
      resource: chat.resource,
      provider: sessionType,
      title: chat.title.value,
      createdAt: chat.createdAt.getTime(),
      modifiedAt: chat.updatedAt.value.getTime(),
      status: STATUS[chat.status.value],
      isRead: chat.isRead.value,
      isArchived: chat.isArchived.value,
      ...(activity !== undefined && { activity }),
      ...(model !== undefined && { model }),
      ...(workingDirectory !== undefined && { workingDirectory }),
      ...(changes.length > 0 && { changes }),
    },
    lifecycle: 'ready',
    turns: turns.value,
  };
}
