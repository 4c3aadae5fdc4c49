import type { Session } from '@agenthost/sessions';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import { AwaitedSession } from '../conversation/AwaitedSession.js';
import { ChatView } from '../conversation/ChatView.js';
import { Sidebar } from '../list/Sidebar.js';
import { useStatusCounts } from '../list/useStatusCounts.js';
import { NativeView } from '../native/NativeView.js';
import { FirstRun } from '../newSession/FirstRun.js';
import { NewSession } from '../newSession/NewSession.js';
import { AskDialog } from '../overlays/AskDialog.js';
import { HostDialog } from '../overlays/HostDialog.js';
import { Palette } from '../overlays/Palette.js';
import { SettingsDialog, type SettingsSection } from '../overlays/SettingsDialog.js';
import { Shortcuts } from '../overlays/Shortcuts.js';
import { Tray } from '../overlays/Tray.js';
import { UndoBar } from '../overlays/UndoBar.js';
import { useAttention } from './notifications.js';
import { asHost, type PageHost } from './pagePlace.js';
import { currentRoute, goTo } from './route.js';
import { useServices } from './services.js';
import { applyTheme } from './settings.js';
import { useLook, useOpenedNotifications } from './useLook.js';
import { useNarrow } from './useNarrow.js';
import { useObservable } from './useObservable.js';
import { usePaletteEntries } from './usePaletteEntries.js';
import { useRoutedSession } from './useRoutedSession.js';
import { useShortcuts } from './useShortcuts.js';

/** Loaded when it is opened: the code for QR codes is not small. */
const PairDialog = lazy(async () => ({ default: (await import('../devices/PairDialog.js')).PairDialog }));

/** Most users never compare. */
const CompareView = lazy(async () => ({ default: (await import('../several/CompareView.js')).CompareView }));

type Overlay =
  | { readonly kind: 'palette' | 'tray' | 'shortcuts' | 'addHost' | 'addPhone' }
  | { readonly kind: 'settings'; readonly section?: SettingsSection }
  | { readonly kind: 'host'; readonly host: PageHost }
  | { readonly kind: 'rename'; readonly session: Session };

export function App() {
  const { management, hosts, places, list, settings, undos } = useServices();
  const { theme, singleLetters } = useObservable(settings.value);
  const [own] = useObservable(hosts.all);
  const route = useObservable(currentRoute);
  useObservable(list.version);
  const routed = useRoutedSession(route);
  const isNarrow = useNarrow();
  const { needsInput } = useStatusCounts(management);
  const [overlay, setOverlay] = useState<Overlay>();
  const [listHidden, setListHidden] = useState(false);
  const close = useCallback(() => setOverlay(undefined), []);
  useEffect(() => applyTheme(theme), [theme]);
  useAttention(needsInput);
  useOpenedNotifications();
  const deleteLater = (session: Session) => {
    undos.offer({
      text: `Deleted “${session.title.value || 'New session'}”. Files that it changed are kept.`,
      leaving: [session.sessionId],
      commit: () => management.deleteSession(session),
    });
    if (route.view === 'session' && route.sessionId === session.sessionId) goTo({ view: 'start' }, { replace: true });
  };
  const entries = usePaletteEntries({
    onTray: () => setOverlay({ kind: 'tray' }),
    onShortcuts: () => setOverlay({ kind: 'shortcuts' }),
    onAddHost: () => setOverlay({ kind: 'addHost' }),
    onSettings: () => setOverlay({ kind: 'settings' }),
    onDevices: () => setOverlay({ kind: 'settings', section: 'devices' }),
    onAddPhone: () => setOverlay({ kind: 'addPhone' }),
  });
  useShortcuts(
    [
      { key: 'k', withControl: true, run: () => setOverlay({ kind: 'palette' }) },
      { key: 'n', run: () => goTo({ view: 'new' }) },
      { key: 'i', run: () => setOverlay({ kind: 'tray' }) },
      { key: '/', run: () => document.querySelector<HTMLElement>('[data-search]')?.focus() },
      { key: '[', run: () => setListHidden((hidden) => !hidden) },
      { key: 'z', run: () => undos.current.value?.undo?.() },
      { key: '?', run: () => setOverlay({ kind: 'shortcuts' }) },
    ],
    singleLetters,
  );
  const session = routed.session;
  const place = session && places.byId(session.providerId);
  const native = route.view === 'native' ? asHost(places.byId(route.host)) : undefined;
  useLook(session && shownChat(session, routed.chat).resource);
  return (
    <div
      className={['app', ...(listHidden ? ['hide-list'] : []), ...(singleLetters ? [] : ['no-letters'])].join(' ')}
      data-view={route.view === 'start' ? 'list' : 'chat'}
    >
      <Sidebar
        currentId={session?.sessionId}
        isAlone={isNarrow && route.view === 'start'}
        emptyView={<FirstRun isFirst isInList />}
        onTray={() => setOverlay({ kind: 'tray' })}
        onAddHost={() => setOverlay({ kind: 'addHost' })}
        onSettings={() => setOverlay({ kind: 'settings' })}
        onHost={(one) => setOverlay({ kind: 'host', host: one })}
        onRename={(one) => setOverlay({ kind: 'rename', session: one })}
        onDelete={deleteLater}
      />
      {route.view === 'new' && <NewSession key={route.agent} agent={route.agent} />}
      {native && route.view === 'native' && <NativeView key={route.id} host={native} id={route.id} />}
      {route.view === 'native' && !native && <main className="main" />}
      {route.view === 'start' && !isNarrow && <FirstRun isFirst={management.getSessions().length === 0} />}
      {route.view === 'session' &&
        (session && place ? (
          route.compare && asHost(place) && session.several?.value ? (
            <Suspense fallback={<main className="main" />}>
              <CompareView host={asHost(place) as PageHost} group={session.several.value} />
            </Suspense>
          ) : (
            <ChatView
              session={session}
              place={place}
              chat={routed.chat ?? session.mainChat.resource}
              find={route.find}
              isReviewing={route.review === true}
              onRename={() => setOverlay({ kind: 'rename', session })}
              onDelete={() => deleteLater(session)}
            />
          )
        ) : (
          <main className="main">
            {routed.isMissing ? (
              <div className="first">
                <div className="first-in">
                  <h1>There is no such session</h1>
                  <p className="lede">It was deleted, or it is on a host that this page doesn't know.</p>
                  <button
                    type="button"
                    className="btn primary"
                    onClick={() => goTo({ view: 'start' }, { replace: true })}
                  >
                    Back to the list
                  </button>
                </div>
              </div>
            ) : (
              <AwaitedSession place={routed.place} chat={routed.awaited} />
            )}
          </main>
        ))}
      {overlay?.kind === 'palette' && <Palette {...entries} onClose={close} />}
      {overlay?.kind === 'settings' && (
        <SettingsDialog {...(overlay.section && { first: overlay.section })} onClose={close} />
      )}
      {overlay?.kind === 'addPhone' && own && (
        <Suspense>
          <PairDialog host={own} onClose={close} />
        </Suspense>
      )}
      {overlay?.kind === 'tray' && <Tray onClose={close} />}
      {overlay?.kind === 'shortcuts' && (
        <Shortcuts
          singleLetters={singleLetters}
          onSingleLetters={(on) => settings.update({ singleLetters: on })}
          onClose={close}
        />
      )}
      {overlay?.kind === 'addHost' && (
        <AskDialog
          title="Add a host"
          text={`Paste the link that agenthost serve prints on that machine. It has to allow this page: start it with --allow-origin ${location.origin}.`}
          confirm="Add"
          value=""
          valueLabel="Link"
          onConfirm={async (link) => void hosts.add(link, '')}
          onClose={close}
        />
      )}
      {overlay?.kind === 'host' && <HostDialog host={overlay.host} onClose={close} />}
      {overlay?.kind === 'rename' && (
        <AskDialog
          title="Rename"
          confirm="Rename"
          value={shownChat(overlay.session, routed.chat).title.value}
          valueLabel="Title"
          onConfirm={(title) =>
            management.renameChat(overlay.session, shownChat(overlay.session, routed.chat).resource, title)
          }
          onClose={close}
        />
      )}
      <UndoBar />
    </div>
  );
}

function shownChat({ chats, mainChat }: Session, resource: string | undefined): Session['mainChat'] {
  return chats.value.find((chat) => chat.resource === resource) ?? mainChat;
}
