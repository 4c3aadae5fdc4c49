import type { NativeSession, Turn } from '@agenthost/protocol';
import { createSessionState } from '@agenthost/protocol';
import { Copy, Folder, Lock, SquareTerminal } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { ownIds } from '../app/ownIds.js';
import type { PageHost } from '../app/pagePlace.js';
import { problemText } from '../app/problemText.js';
import { goTo } from '../app/route.js';
import { useServices } from '../app/services.js';
import { useObservable } from '../app/useObservable.js';
import { BackButton } from '../controls/BackButton.js';
import { type ChatContext, ChatProvider } from '../conversation/chatContext.js';
import { homeOf, shortPath } from '../conversation/relativePath.js';
import { Thread } from '../conversation/thread/Thread.js';
import { roughly } from '../conversation/times.js';

const PAGE = 30;
/** How often a conversation that goes on in its terminal is read again. */
const AGAIN_MS = 5_000;

interface Read {
  readonly turns: readonly Turn[];
  readonly hasMore: boolean;
}

/** A conversation from a terminal: its turns, and a way to continue it. */
export function NativeView({ host, id }: { readonly host: PageHost; readonly id: string }) {
  const { management } = useServices();
  const me = useObservable(ownIds);
  const role = useObservable(host.role);
  const staleSince = useObservable(host.staleSince);
  const [item, setItem] = useState<NativeSession>();
  const [read, setRead] = useState<Read>();
  const [unread, setUnread] = useState<string>();
  /** Why it was not continued. It stays until the next try, whatever a look at the conversation finds meanwhile. */
  const [refused, setRefused] = useState<string>();
  const problem = refused ?? unread;
  const [isBusy, setBusy] = useState(false);
  const [isWorking, setWorking] = useState(false);
  useEffect(() => {
    let isGone = false;
    const look = async () => {
      if (document.visibilityState === 'hidden') return;
      try {
        const [newest, { items }] = await Promise.all([
          host.native.fetchTurns(id, { limit: PAGE }),
          host.native.list({ limit: 500 }),
        ]);
        if (isGone) return;
        setRead((before) => joined(before, newest));
        setItem(items.find((one) => one.id === id));
        setUnread(undefined);
      } catch (error) {
        if (!isGone) setUnread(problemText(error));
      }
    };
    void look();
    const timer = setInterval(() => void look(), AGAIN_MS);
    return () => {
      isGone = true;
      clearInterval(timer);
    };
  }, [host, id]);
  const provider = id.slice(0, id.indexOf('/'));
  const folder = item?.workingDirectory;
  const context = useMemo((): ChatContext => {
    const never = async (): Promise<never> => {
      throw new Error('It can only be read here.');
    };
    return {
      me,
      agentName: item?.agentName ?? provider,
      hostName: host.name,
      host,
      agentId: provider,
      role,
      folder,
      home: homeOf(host.provider.folders.home),
      staleSince,
      approve: never,
      deny: never,
      answer: never,
      fetchContent: never,
      earlierSteps: async () => ({ steps: [], earlier: 0 }),
    };
  }, [me, host, role, folder, staleSince, provider, item?.agentName]);
  const state = useMemo(() => {
    if (!read) return undefined;
    const created = createSessionState({ resource: `${provider}:/native`, provider, createdAt: 0 });
    const earlier = read.hasMore ? { earlierTurns: 1 } : {};
    return { ...created, lifecycle: 'ready' as const, turns: [...read.turns], ...earlier };
  }, [read, provider]);
  const open = async (asCopy: boolean) => {
    const existing = asCopy ? undefined : item?.session;
    const session = existing ?? `${provider}:/${crypto.randomUUID()}`;
    setWorking(true);
    setRefused(undefined);
    try {
      if (existing === undefined) await host.native.continue(id, session, { asCopy });
      const sessionId = `${host.id}:${session}`;
      await management.findSession(sessionId).catch(() => undefined);
      goTo({ view: 'session', sessionId });
    } catch (error) {
      setBusy(isBusyError(error));
      setRefused(
        isBusyError(error)
          ? 'It is open in a terminal. Continue in a copy, or wait until it rests there.'
          : problemText(error),
      );
    } finally {
      setWorking(false);
    }
  };
  const loadEarlier = async () => {
    const first = read?.turns[0];
    if (!first || !read.hasMore) return 0;
    const { turns, hasMore } = await host.native.fetchTurns(id, { limit: PAGE, before: first.id });
    setRead((now) => (now ? { turns: [...turns, ...now.turns], hasMore } : now));
    return turns.length;
  };
  return (
    <ChatProvider value={context}>
      <main className="main">
        <header className="head">
          <BackButton />
          <div className="grow">
            <h1 className="clip">{item?.title ?? 'From your terminal'}</h1>
            <div className="sub">
              {folder !== undefined && (
                <span className="wide">
                  <Folder size={13} aria-hidden />
                  {shortPath(folder, homeOf(host.provider.folders.home))}
                </span>
              )}
              <span>{item?.agentName ?? provider}</span>
              <span className="native-lock">
                <Lock size={12} aria-hidden />
                read only
              </span>
            </div>
          </div>
          <div className="right">
            <span className="stat wide">
              <SquareTerminal size={15} aria-hidden />
              from your terminal
            </span>
          </div>
        </header>
        {state && <Thread state={state} kept={false} loadEarlier={loadEarlier} trim={() => {}} />}
        <div className="dock">
          <div className="col">
            {problem !== undefined && (
              <p className="blank bad" role="alert">
                {problem}
              </p>
            )}
            <div className="composer native-bar" role="note">
              <Lock size={15} aria-hidden />
              <span className="grow">
                <b>Read only here.</b>
                {item && <span> You started it in your terminal, and it was last used there {ago(item)}.</span>}
              </span>
              {item && (
                <button
                  type="button"
                  className="btn plain"
                  title={item.command}
                  onClick={() => void navigator.clipboard.writeText(item.command).catch(() => {})}
                >
                  <Copy size={13} aria-hidden />
                  Copy the terminal command
                </button>
              )}
              {isBusy && (
                <button type="button" className="btn plain" disabled={isWorking} onClick={() => void open(true)}>
                  Continue in a copy
                </button>
              )}
              <button
                type="button"
                className="btn primary"
                disabled={isWorking || !item}
                onClick={() => void open(false)}
              >
                {item?.session === undefined ? 'Continue here' : 'Open its session'}
              </button>
            </div>
          </div>
        </div>
      </main>
    </ChatProvider>
  );
}

/** The newest turns behind those that are there. What changed in between is taken from the new ones. */
function joined(before: Read | undefined, newest: Read): Read {
  const first = newest.turns[0];
  const at = first && before ? before.turns.findIndex(({ id }) => id === first.id) : -1;
  if (!before || at < 0) return newest;
  if (before.turns.length - at === newest.turns.length && sameEnd(before, newest)) return before;
  return { turns: [...before.turns.slice(0, at), ...newest.turns], hasMore: before.hasMore };
}

function sameEnd(before: Read, newest: Read): boolean {
  return JSON.stringify(before.turns.at(-1)) === JSON.stringify(newest.turns.at(-1));
}

function ago({ modifiedAt, isBusy }: NativeSession): string {
  return isBusy ? 'just now' : `${roughly(Date.now() - modifiedAt)} ago`;
}

function isBusyError(error: unknown): boolean {
  const { data } = error as { readonly data?: { readonly code?: string } };
  return data?.code === 'nativeSessionBusy';
}
