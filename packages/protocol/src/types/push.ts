// Generated from the schemas by `npm run schemas`. Do not edit.

export interface AddWebhookParams {
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly content?: true;
  readonly allowPrivate?: true;
}

export interface AddWebhookResult {
  readonly webhook: Webhook;
  /** Signs what is sent (Standard Webhooks). It is not told again. */
  readonly secret: string;
}

export type FetchPushKeyParams = Readonly<Record<string, never>>;

export interface FetchPushKeyResult {
  /** The host's VAPID key (RFC 8292): `applicationServerKey` of a subscription. */
  readonly publicKey: string;
}

export type ListWebhooksParams = Readonly<Record<string, never>>;

export interface ListWebhooksResult {
  /** Oldest first. */
  readonly items: readonly Webhook[];
}

export interface LookAtParams {
  /** What the user sees right now; nothing if absent, e.g. while a page is hidden. */
  readonly session?: string;
  /** The push subscription of this device, if it has one. */
  readonly subscription?: string;
}

/** How a device answers from the notification. */
export interface PushAnswer {
  readonly turnId: string;
  /** Of a call that waits for its confirmation. */
  readonly toolCallId?: string;
  /** Of a permission request, otherwise. */
  readonly requestId?: string;
  /** The role of the device may allow it, and `text` has all that is asked. */
  readonly allow?: true;
  /** The role of the device may deny it. */
  readonly deny?: true;
}

/** The question with this tag is no longer open. */
export interface PushedClosure {
  readonly kind: 'closed';
  /** Of the notification; a later message with the same tag takes its place. */
  readonly tag: string;
  /** Absent if it is too long for a message. */
  readonly session?: string;
  /** The session's title. */
  readonly title: string;
  /** Who answered. */
  readonly by?: string;
}

/** A turn ended that nobody watched. */
export interface PushedEnd {
  readonly kind: 'finished';
  /** Of the notification; a later message with the same tag takes its place. */
  readonly tag: string;
  /** Absent if it is too long for a message. */
  readonly session?: string;
  /** The session's title. */
  readonly title: string;
  /** The beginning of the last answer, or the error. */
  readonly text: string;
}

/** A session needs input. */
export interface PushedQuestion {
  readonly kind: 'question';
  /** Of the notification; a later message with the same tag takes its place. */
  readonly tag: string;
  /** Absent if it is too long for a message. */
  readonly session?: string;
  /** The session's title. */
  readonly title: string;
  /** What is asked, in plain text. */
  readonly text: string;
  /** Absent where it can only be answered in a page. */
  readonly answer?: PushAnswer;
}

/** The keys of a subscription (RFC 8291): only the device that made them can read what is pushed. */
export interface PushKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** What a device gets through its push service, encrypted for it alone: JSON of at most `MAX_PUSH_BYTES`. */
export type PushMessage = PushedQuestion | PushedEnd | PushedClosure;

/** What a device is told of: questions, or also turns that ended while nobody looked. */
export type PushNotify = 'needsInput' | 'needsInputAndFinished';

export interface RemovePushSubscriptionParams {
  /** Where the push service of the browser takes messages. */
  readonly endpoint: string;
}

/** Adds a subscription to the token of the connection, or changes what it is told of. */
export interface SetPushSubscriptionParams {
  /** Where the push service of the browser takes messages. */
  readonly endpoint: string;
  readonly keys: PushKeys;
  readonly notify: PushNotify;
}

export interface SetPushSubscriptionResult {
  /** For `lookAt`. */
  readonly id: string;
}

export interface TestWebhookResult {
  readonly delivered: boolean;
  /** Why not, ready to display. */
  readonly problem?: string;
}

/** An address that the host tells of events. */
export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** Messages, questions and the text of answers are sent too. */
  readonly content?: true;
  /** Its address may be in a private network, or without TLS. */
  readonly allowPrivate?: true;
  readonly createdAt: number;
  /** Nothing could be delivered since then. */
  readonly failingSince?: number;
  /** Why the newest delivery failed, ready to display. */
  readonly problem?: string;
  /** It gets nothing since then, until it is enabled. */
  readonly disabledAt?: number;
  /** Sessions with events that wait. Absent where another host delivers. */
  readonly waiting?: number;
}

/** What a webhook can be told of. `inputGiven`: a question was answered. */
export type WebhookEvent = 'turnStarted' | 'turnEnded' | 'needsInput' | 'inputGiven';

export interface WebhookParams {
  readonly webhook: string;
}
