import type { HostClient, SessionHandle } from '@agenthost/client';
import type { SessionSummary, URI } from '@agenthost/protocol';
import type { SendRequestOptions } from '../providers/sessionsProvider.js';
import { chooseSettings } from './agentSettings.js';

export interface NewHostChat extends SendRequestOptions {
  readonly uri: URI;
  readonly provider: string;
  readonly group: string;
  readonly workingDirectory: URI | undefined;
  readonly model: string | undefined;
  /** The title that the user gave it before it was sent. */
  readonly title: string;
}

/**
 * Makes a session on the host and sends its first message. When that is refused, nothing of it is left. The summary goes to
 * `keep` in the turn in which it is read: later it could replace what a notification has changed since.
 */
export async function createChatOnHost<T>(
  host: HostClient,
  chat: NewHostChat,
  keep: (summary: SessionSummary) => T,
): Promise<T> {
  const { uri, provider, workingDirectory, model, group, query, attachedContext, worktree, title, mode, settings } =
    chat;
  const isolation = worktree && { kind: 'worktree', ...worktree };
  let session: SessionHandle | undefined;
  try {
    session = await host.createSession({
      session: uri,
      provider,
      metadata: { group },
      ...(workingDirectory !== undefined && { workingDirectory }),
      ...(model !== undefined && { model }),
      ...((isolation || mode !== undefined) && {
        config: { ...(isolation && { isolation }), ...(mode !== undefined && { mode }) },
      }),
    });
    // Says why when the agent did not start; a message would only be refused.
    await session.ready();
    if (settings) await chooseSettings(session, settings);
    await session.send({ text: query, ...(attachedContext?.length && { attachments: attachedContext }) });
    if (title !== '') await session.rename(title);
    return keep(session.confirmed.value.summary);
  } catch (error) {
    // The sender still has the message and can send it again; an empty session would only be in the way.
    host.disposeSession(uri).catch(() => {});
    throw error;
  } finally {
    session?.close();
  }
}
