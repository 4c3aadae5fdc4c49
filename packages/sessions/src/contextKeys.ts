import type { Observable } from '@agenthost/client';
import { computed, observable } from './observable.js';
import type { SessionsProvidersService } from './providers/sessionsProvidersService.js';
import { type Session, SessionStatus } from './session.js';
import type { ActiveSession } from './sessionSelection.js';

/** What menus and shortcuts depend on. */
export interface ContextKeyValues {
  /** The form for a new session is shown: no session that was begun is selected. */
  readonly isNewChatSession: boolean;
  readonly activeSessionProviderId: string;
  readonly activeSessionType: string;
  readonly isActiveSessionBackgroundProvider: boolean;
  readonly isActiveSessionArchived: boolean;
  readonly activeSessionSupportsMultiChat: boolean;
  readonly activeSessionHasGitRepository: boolean;
  /** Of the session that a context menu is open on. */
  readonly chatSessionProviderId: string;
}

export type ContextKeys = { readonly [K in keyof ContextKeyValues]: Observable<ContextKeyValues[K]> };

export class SessionContextKeys {
  readonly keys: ContextKeys;
  readonly #menuSession = observable<Session | undefined>(undefined);

  constructor(active: Observable<ActiveSession | undefined>, providers: SessionsProvidersService) {
    const ofActive = <T>(read: (session: ActiveSession) => T, otherwise: T) =>
      computed(() => (active.value ? read(active.value) : otherwise));
    this.keys = {
      isNewChatSession: ofActive(({ status }) => status.value === SessionStatus.Untitled, true),
      activeSessionProviderId: ofActive(({ providerId }) => providerId, ''),
      activeSessionType: ofActive(({ sessionType }) => sessionType, ''),
      isActiveSessionBackgroundProvider: ofActive(
        ({ providerId }) => providers.getProvider(providerId)?.isBackground === true,
        false,
      ),
      isActiveSessionArchived: ofActive(({ isArchived }) => isArchived.value, false),
      activeSessionSupportsMultiChat: ofActive(({ capabilities }) => capabilities.supportsMultipleChats, false),
      activeSessionHasGitRepository: ofActive(hasGitRepository, false),
      chatSessionProviderId: computed(() => this.#menuSession.value?.providerId ?? ''),
    };
  }

  setMenuSession(session: Session | undefined): void {
    this.#menuSession.set(session);
  }
}

/** Only a repository has a branch to show or a base. */
function hasGitRepository({ workspace, gitHubInfo }: Session): boolean {
  const repositories = workspace.value?.repositories ?? [];
  const isGit = repositories.some((one) => one.detail !== undefined || one.baseBranchName !== undefined);
  return isGit || gitHubInfo.value !== undefined;
}
