import type {
  ActiveTurn,
  FormSecrets,
  FormValues,
  PendingToolCall,
  PermissionRequest,
  SessionState,
} from '@agenthost/protocol';
import { filledForm } from '@agenthost/protocol/internal';
import { derived, type Observable } from '../observable.js';
import type { ClientActionInput } from './sessionInput.js';

export interface ApproveOptions {
  readonly optionId?: string;
  /** Where the confirmation is `editable`: what to run instead. */
  readonly editedToolInput?: string;
}

export interface DenyOptions {
  readonly optionId?: string;
  readonly reason?: string;
}

/** A tool call that waits for an answer. Answering resolves when the host accepted it, and rejects when another client was faster. */
export interface PendingConfirmation {
  readonly turnId: string;
  readonly toolCall: PendingToolCall;
  approve(options?: ApproveOptions): Promise<void>;
  deny(options?: DenyOptions): Promise<void>;
}

export interface PermissionAnswer {
  readonly approved: boolean;
  readonly optionId?: string;
  readonly text?: string;
  /** Of a request with a `form`, by the ids of its fields. `PendingPermission.fill` makes both of what was filled in. */
  readonly values?: FormValues;
  readonly secrets?: FormSecrets;
}

/** A question of the agent that is not about one announced tool call. */
export interface PendingPermission {
  readonly turnId: string;
  readonly request: PermissionRequest;
  answer(answer: PermissionAnswer): Promise<void>;
  /**
   * Answers a request with a `form`: a value for each field, by its id. Secrets go to the agent only. Rejects with an
   * ActionRejectedError whose `rejection.field` names the field that does not fit; then the question stays open.
   *
   * @example
   * ```ts
   * const [question] = session.pendingPermissions.value;
   * for (const field of question?.request.form?.fields ?? []) console.log(field.kind, field.label);
   * await question?.fill({ flow: 'embedded', checks: ['lint', 'tests'], token: 's3cret' });
   * ```
   */
  fill(values: FormValues): Promise<void>;
  /**
   * Leaves the decision to the agent, which is told so.
   *
   * @example
   * ```ts
   * await session.pendingPermissions.value[0]?.skip();
   * ```
   */
  skip(): Promise<void>;
}

type Dispatch = (action: ClientActionInput) => Promise<void>;

export function pendingConfirmations(
  state: Observable<SessionState>,
  dispatch: Dispatch,
): Observable<readonly PendingConfirmation[]> {
  return prompts(
    state,
    (turn) => Object.values(turn.toolCalls).filter((call) => call.status === 'pendingConfirmation'),
    (turnId, toolCall): PendingConfirmation => {
      const answer = (approved: boolean, options: ApproveOptions & DenyOptions = {}) =>
        dispatch({
          type: 'session/toolCallConfirmed',
          turnId,
          toolCallId: toolCall.toolCallId,
          approved,
          ...options,
        });
      return {
        turnId,
        toolCall,
        approve: (options) => answer(true, options),
        deny: (options) => answer(false, options),
      };
    },
  );
}

export function pendingPermissions(
  state: Observable<SessionState>,
  dispatch: Dispatch,
): Observable<readonly PendingPermission[]> {
  return prompts(
    state,
    (turn) => Object.values(turn.pendingPermissions),
    (turnId, request): PendingPermission => {
      const answer = (given: PermissionAnswer) =>
        dispatch({ type: 'session/permissionResolved', turnId, requestId: request.requestId, ...given });
      return {
        turnId,
        request,
        answer,
        fill: (values) => answer({ approved: true, ...filledForm(request.form ?? { fields: [] }, values) }),
        skip: () => answer({ approved: true }),
      };
    },
  );
}

/** Reducers keep the reference of what didn't change, so a prompt is the same object for as long as its call is. */
function prompts<Source extends object, Prompt>(
  state: Observable<SessionState>,
  find: (turn: ActiveTurn) => readonly Source[],
  create: (turnId: string, source: Source) => Prompt,
): Observable<readonly Prompt[]> {
  const known = new WeakMap<Source, Prompt>();
  let last: readonly Prompt[] = [];
  const promptOf = (turnId: string, source: Source): Prompt => {
    const prompt = known.get(source) ?? create(turnId, source);
    known.set(source, prompt);
    return prompt;
  };
  return derived(state, ({ activeTurn }) => {
    const next = activeTurn ? find(activeTurn).map((source) => promptOf(activeTurn.id, source)) : [];
    if (next.length !== last.length || next.some((prompt, index) => prompt !== last[index])) last = next;
    return last;
  });
}
