import { hash } from 'node:crypto';
import type { ActionOrigin, Attachment, ContentRef, SessionAction, URI, UserMessage } from '@agenthost/protocol';
import { INLINE_MESSAGE_LIMIT } from '@agenthost/protocol/internal';
import { isLarge, pastedHash } from '../content/pastedContent.js';
import { MAX_ACCEPTED_CLIENTS, MAX_RECENTLY_ACCEPTED } from '../sessionLimits.js';

/**
 * Identifies a client under one token. A client chooses its id itself: under another token it must not use up, or learn, the numbers
 * of the client with the same id. Token names contain no slash.
 */
export function acceptedKey({ clientId, name }: Omit<ActionOrigin, 'clientSeq'>): string {
  return name === undefined ? clientId : `${name}/${clientId}`;
}

export interface AcceptedAction {
  readonly clientSeq: number;
  /** The number that the host gave it. */
  readonly serverSeq: number;
  /** Tells it from any other action under the same `clientSeq`. */
  readonly fingerprint: number;
}

/** By client: `clientSeq`, `serverSeq` and fingerprint of each. */
export type AcceptedEntries = readonly (readonly [string, readonly (readonly [number, number, number])[]])[];

/**
 * By client, the accepted `clientSeq` of this session, so that an action that is sent again is not applied again, and a client that
 * lost its answers can learn them. Bounded: only the newest of each client, and the clients that were quiet for longest are forgotten.
 */
export class AcceptedSequences {
  /** Rising, never empty. */
  readonly #recent = new Map<string, AcceptedAction[]>();

  constructor(entries: AcceptedEntries = []) {
    for (const [key, recent] of entries) {
      const actions = recent.map(([clientSeq, serverSeq, fingerprint]) => ({ clientSeq, serverSeq, fingerprint }));
      this.#recent.set(key, actions);
    }
  }

  /** The clients that were quiet for longest come first. */
  entries(): AcceptedEntries {
    return Array.from(this.#recent, ([key, recent]) => [
      key,
      newest(recent).map(({ clientSeq, serverSeq, fingerprint }) => [clientSeq, serverSeq, fingerprint] as const),
    ]);
  }

  highest(key: string): number {
    return this.#recent.get(key)?.at(-1)?.clientSeq ?? 0;
  }

  /** The newest numbers, rising. */
  recent(key: string): readonly number[] {
    return newest(this.#recent.get(key) ?? []).map(({ clientSeq }) => clientSeq);
  }

  /** `undefined` also for a number that is older than all remembered ones. */
  find(key: string, clientSeq: number): AcceptedAction | undefined {
    return this.#recent.get(key)?.findLast((accepted) => accepted.clientSeq === clientSeq);
  }

  /** Whether the outcome of that number, which is not above the highest, is still known. */
  remembers(key: string, clientSeq: number): boolean {
    return clientSeq >= (this.#recent.get(key)?.[0]?.clientSeq ?? Number.POSITIVE_INFINITY);
  }

  /** `clientSeq` is above the highest. */
  add(key: string, accepted: AcceptedAction): void {
    const recent = this.#recent.get(key) ?? [];
    recent.push(accepted);
    if (recent.length > 2 * MAX_RECENTLY_ACCEPTED) recent.splice(0, recent.length - MAX_RECENTLY_ACCEPTED);
    this.#recent.delete(key);
    this.#recent.set(key, recent);
    if (this.#recent.size <= MAX_ACCEPTED_CLIENTS) return;
    const [quietest] = this.#recent.keys();
    if (quietest !== undefined) this.#recent.delete(quietest);
  }

  /** Undoes the client's newest action, which could not be stored. */
  takeBack(key: string, clientSeq: number): void {
    const recent = this.#recent.get(key);
    if (recent?.at(-1)?.clientSeq !== clientSeq) return;
    recent.pop();
    if (recent.length === 0) this.#recent.delete(key);
  }
}

function newest(recent: readonly AcceptedAction[]): readonly AcceptedAction[] {
  return recent.slice(-MAX_RECENTLY_ACCEPTED);
}

/** Enough that two actions of one client don't share a fingerprint by chance, and still an exact number. */
const BYTES = 6;

/**
 * A short hash of a client's action. It is the same for the action as sent and as stored: without the time, the author and the turn's
 * model, which the host sets, and with the hash of content that the host stores elsewhere.
 */
export function actionFingerprint(action: SessionAction): number {
  const stamps = { at: undefined, by: undefined };
  const message = 'userMessage' in action && { userMessage: messageIdentity(action.userMessage) };
  const turn = action.type === 'session/turnStarted' && { model: undefined };
  const asked = canonical({ ...action, ...stamps, ...message, ...turn });
  return hash('sha256', asked, 'buffer').readUIntBE(0, BYTES);
}

function messageIdentity({ text, textRef, attachments, ...rest }: UserMessage): object {
  return { ...rest, text: textIdentity(text, textRef), attachments: attachments?.map(attachmentIdentity) };
}

function textIdentity(text: string, textRef: ContentRef | undefined): string {
  if (textRef) return refIdentity(textRef);
  return Buffer.byteLength(text) > INLINE_MESSAGE_LIMIT ? hashOf(Buffer.from(text)) : text;
}

function attachmentIdentity({ data, ref, ...rest }: Attachment): object {
  // When both are set, the data is what the client sent.
  if (data === undefined) return { ...rest, data: ref && refIdentity(ref) };
  return { ...rest, data: isLarge(data) ? hashOf(Buffer.from(data, rest.kind === 'image' ? 'base64' : 'utf8')) : data };
}

function refIdentity({ uri }: ContentRef): string {
  const pasted = pastedHash(uri);
  return pasted === undefined ? uri : `sha256:${pasted}`;
}

function hashOf(bytes: Buffer): string {
  return `sha256:${hash('sha256', bytes, 'hex')}`;
}

/** JSON whose keys are sorted. By hand: each action passes here, and JSON.stringify with a replacer takes four times as long. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[key];
    if (member !== undefined) members += `${members && ','}${JSON.stringify(key)}:${canonical(member)}`;
  }
  return `{${members}}`;
}

/** By session, a client's newest accepted actions; of the wanted sessions also where there are none. */
export function acceptedIn(
  sessions: Iterable<readonly [URI, { readonly accepted: AcceptedSequences }]>,
  key: string,
  wanted: readonly URI[],
): Record<URI, readonly number[]> {
  const accepted: Record<URI, readonly number[]> = {};
  for (const [uri, session] of sessions) {
    const recent = session.accepted.recent(key);
    if (recent.length > 0 || wanted.includes(uri)) accepted[uri] = recent;
  }
  return accepted;
}
