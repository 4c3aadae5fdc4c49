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

export type ListWebhooksParams = Readonly<Record<string, never>>;

export interface ListWebhooksResult {
  /** Oldest first. */
  readonly items: readonly Webhook[];
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
