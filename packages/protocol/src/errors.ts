import type { ActionEnvelope, Rejection } from './types/actions.js';

/** Every numeric code that an answer can carry, beside those of JSON-RPC itself. */
export const ERROR_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  tooManyRequests: -32000,
  sessionNotFound: -32001,
  noAgentForProvider: -32002,
  sessionAlreadyExists: -32003,
  turnInProgress: -32004,
  unsupportedProtocolVersion: -32005,
  contentNotFound: -32006,
  notFound: -32008,
  permissionDenied: -32009,
  alreadyExists: -32010,
  sessionFsUnavailable: -32050,
} as const;

export type ErrorCode = (typeof ERROR_CODE)[keyof typeof ERROR_CODE];

/** The `errorType` of a turn that failed because its agent is not logged in. The host sends its message again after a log-in. */
export const LOGIN_REQUIRED = 'authRequired';

/** Why the host refuses an action: by the code of `rejection`, the text that `rejectionReason` begins with. */
export const REJECTION = {
  invalidAction: 'invalid action',
  unknownAction: 'unknown action',
  notDispatchable: 'clients may not dispatch this action',
  unknownSession: 'unknown session',
  sessionNotReady: 'session is not ready',
  creationFailed: 'session could not be created',
  turnInProgress: 'a turn is already in progress',
  noActiveTurn: 'no active turn to cancel',
  notWaitingForConfirmation: 'tool call is not waiting for confirmation',
  unknownPermissionRequest: 'unknown permission request ID',
  unknownOption: 'unknown option',
  oppositeOption: 'the option says the opposite of "approved"',
  optionNeeded: 'nothing offered is a plain approval: choose an option by its id',
  notEditable: 'the input of this tool call is not editable',
  takesNoText: 'this question takes no text',
  takesNoValues: 'this question has no form',
  valueDoesNotFit: 'the answer does not fit the form',
  unknownModel: 'unknown model',
  unknownPendingMessage: 'unknown pending message',
  unknownCustomization: 'unknown customization',
  unknownSetting: 'unknown setting',
  unknownSettingValue: 'unknown value of the setting',
  unknownApproval: 'no approval with this id can be revoked here',
  unknownComment: 'unknown comment',
  notYourComment: 'only its author, or a driver, may remove this comment, and only its author may change it',
  commentSent: 'the comment was sent to the agent already',
  commentChanged: 'a comment was changed in this moment, look at it and send it again',
  commentsFull: 'the session has no room for more comments, remove some of those that are resolved',
  alreadyPicked: 'another one of these sessions was picked already',
  notAmongSeveral: 'that session is none of those that got the same prompt',
  callNotRunning: 'the tool call does not run, so it takes no input',
  takesNoInput: 'this tool call takes no input',
  inputFull: 'the program has not read the input before this one',
  inputTooLong: 'a line of the input is too long for the terminal',
  messageAlreadyInTurn: 'message is already in a turn',
  queueFull: 'the queue is full',
  turnIdUsed: 'turn id is already used',
  clientSeqUsed: 'clientSeq is not above the last accepted one',
  clientSeqForgotten: 'clientSeq is too far below the last accepted one to tell whether it was accepted',
  unknownContent: 'unknown content',
  contentFull: 'the session has no room for more pasted content',
  contentBusy: 'too much content waits to be stored, send it again later',
  roleNotAllowed: 'the role of the token does not allow this action',
  machineAway: 'its machine is away',
  sessionNotOpened: 'the session could not be opened',
  notChecked: 'could not be checked',
  notStored: 'could not be stored',
  diskFull: 'could not be stored',
} as const;

export type RejectionCode = keyof typeof REJECTION;

/** The fields of an envelope that say that its action was refused. */
export type Refusal = Required<Pick<ActionEnvelope, 'rejectionReason' | 'rejection'>>;

/** A refusal with the text of its code, followed by who answered first or by the detail. */
export function refuse(code: RejectionCode, more: Omit<Rejection, 'code'> = {}): Refusal {
  const { by, detail = by && `${by.name ?? by.clientId} answered it` } = more;
  const rejectionReason = detail === undefined ? REJECTION[code] : `${REJECTION[code]}: ${detail}`;
  return { rejectionReason, rejection: { code, ...more } };
}

/** Why an envelope's action was refused; `undefined` if it was not. */
export function rejectionOf({ rejection, rejectionReason }: Partial<Refusal>): Rejection | undefined {
  return rejection ?? (rejectionReason === undefined ? undefined : rejectionFromText(rejectionReason));
}

/** For hosts that send `rejectionReason` alone. Their texts are fixed, so this is the one place that may read them. */
function rejectionFromText(text: string): Rejection {
  const codes = Object.keys(REJECTION) as RejectionCode[];
  const code = codes.find((key) => text === REJECTION[key] || text.startsWith(`${REJECTION[key]}: `));
  if (code === undefined) return { code: UNKNOWN_REJECTION, detail: text };
  return text === REJECTION[code] ? { code } : { code, detail: text.slice(REJECTION[code].length + 2) };
}

/** The code of a refusal by an older host whose text is not one of `REJECTION`. */
const UNKNOWN_REJECTION = 'unknown';
