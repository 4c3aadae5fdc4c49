import type { SessionSummary } from '@agenthost/protocol';
import { sameValue } from '@agenthost/protocol/internal';
import { computed, observable, sameItems } from '../observable.js';
import type { GitHubInfo, IconId, Session, SessionWorkspace, URI } from '../session.js';
import { sessionOfChats } from '../sessionOfChats.js';
import { gitHubInfoOf, workspaceOfMetadata } from '../workspace/workspaceOfMetadata.js';
import { HostChat } from './hostChat.js';

export interface HostIdentity {
  readonly providerId: string;
  /** What a host that is not this machine is called; part of its workspaces' labels. */
  readonly remoteName: string | undefined;
  readonly supportsMultipleChats: (provider: string) => boolean;
  readonly icon: (provider: string) => IconId;
}

/** Sessions of the host that share `metadata.group`, which is the URI of the first of them: one session with several chats. */
export class HostSessionGroup {
  readonly key: string;
  readonly session: Session;
  readonly #identity: HostIdentity;
  readonly #chats = observable<readonly HostChat[]>([]);

  constructor(key: string, first: SessionSummary, identity: HostIdentity) {
    this.key = key;
    this.#identity = identity;
    this.put(first);
    const { providerId } = identity;
    const main = (): HostChat => this.#chats.value[0] as HostChat;
    this.session = sessionOfChats({
      providerId,
      localId: key,
      resource: chatResource(providerId, key),
      sessionType: first.provider,
      get icon() {
        return identity.icon(first.provider);
      },
      // Of whichever is the main chat then: an older one may be listed later.
      get createdAt() {
        return main().createdAt;
      },
      capabilities: {
        get supportsMultipleChats() {
          return identity.supportsMultipleChats(first.provider);
        },
      },
      chats: this.#chats,
      loading: computed(() => main().isLoading),
      workspace: computed(() => workspaceOfSummary(main().summary, identity.remoteName), sameValue),
      gitHubInfo: computed((): GitHubInfo | undefined => gitHubInfoOf(main().summary.metadata), sameValue),
    });
  }

  get chats(): readonly HostChat[] {
    return this.#chats.value;
  }

  find(uri: URI): HostChat | undefined {
    return this.#chats.value.find(({ summary }) => summary.resource === uri);
  }

  put(summary: SessionSummary): void {
    const known = this.find(summary.resource);
    if (known) {
      known.summary = summary;
      return;
    }
    const chat = new HostChat(chatResource(this.#identity.providerId, summary.resource), summary);
    this.#chats.set([...this.#chats.value, chat].toSorted((a, b) => this.#compare(a.summary, b.summary)));
  }

  /** How many are left. Of the last one the session still shows what it was. */
  remove(uri: URI): number {
    const left = this.#chats.value.filter(({ summary }) => summary.resource !== uri);
    if (left.length > 0 && !sameItems(left, this.#chats.value)) this.#chats.set(left);
    return left.length;
  }

  #compare(a: SessionSummary, b: SessionSummary): number {
    if (a.resource === this.key) return -1;
    if (b.resource === this.key) return 1;
    return a.createdAt - b.createdAt || (a.resource < b.resource ? -1 : 1);
  }
}

/** Unique over all hosts, and a URI: two hosts may have sessions with the same one. */
export function chatResource(providerId: string, uri: URI): URI {
  return `${providerId}:${uri}`;
}

export function groupKeyOf({ resource, metadata }: SessionSummary): string {
  const group = metadata?.['group'];
  return typeof group === 'string' && group !== '' ? group : resource;
}

export function workspaceOfSummary(
  { metadata, workingDirectory }: Pick<SessionSummary, 'metadata' | 'workingDirectory'>,
  remoteName: string | undefined,
): SessionWorkspace | undefined {
  // A session that says on which machines it lives keeps that, whichever host tells of it.
  const known = remoteName === undefined ? metadata : { remoteAgentHost: remoteName, ...metadata };
  return workspaceOfMetadata({ metadata: known, workingDirectory });
}
