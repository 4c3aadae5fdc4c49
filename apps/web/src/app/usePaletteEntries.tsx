import type { Session } from '@agenthost/sessions';
import {
  Bell,
  Keyboard,
  MessageSquareText,
  Moon,
  Plus,
  RefreshCw,
  Settings,
  Smartphone,
  SquarePen,
  SquareSlash,
} from 'lucide-react';
import { useCallback } from 'react';
import { sessionActions } from '../conversation/header/sessionActions.js';
import { StatusGlyph } from '../glyphs/StatusGlyph.js';
import { rowStatus } from '../list/SessionRow.js';
import type { PaletteEntry } from '../overlays/Palette.js';
import { permissionError } from './permissionError.js';
import { goTo } from './route.js';
import { useServices } from './services.js';

interface PaletteCommands {
  readonly onTray: () => void;
  readonly onShortcuts: () => void;
  readonly onAddHost: () => void;
  readonly onSettings: () => void;
  readonly onDevices: () => void;
  readonly onAddPhone: () => void;
}

const MOST_SESSIONS = 8;
const MOST_MESSAGES = 6;

export function usePaletteEntries(open: PaletteCommands) {
  const { onTray, onShortcuts, onAddHost, onSettings, onDevices, onAddPhone } = open;
  const { management, hosts, places, settings } = useServices();
  const sessionsWith = (query: string) =>
    management
      .getSessions()
      .filter((session) => session.title.value.toLowerCase().includes(query))
      .slice(0, MOST_SESSIONS);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the commands only open what they name
  const find = useCallback(
    (text: string): readonly PaletteEntry[] => {
      const query = queryOf(text);
      const commands = allCommands().filter(({ label }) => label.toLowerCase().includes(query));
      return text.startsWith('>') ? commands : [...sessionsWith(query).map(sessionEntry), ...commands];
    },
    [management, hosts, settings],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const search = useCallback(
    async (text: string, signal: AbortSignal): Promise<readonly PaletteEntry[]> => {
      const query = queryOf(text);
      if (query.length < 2 || text.startsWith('>')) return [];
      const { results } = await management.searchSessions(query, { limit: MOST_MESSAGES, signal });
      const listed = new Set(sessionsWith(query).map(({ sessionId }) => sessionId));
      return results.flatMap(({ session, snippet }) =>
        snippet === undefined || listed.has(session.sessionId) ? [] : [messageEntry(session, snippet, query)],
      );
    },
    [management, hosts],
  );
  return { find, search };

  function messageEntry(session: Session, snippet: string, find: string): PaletteEntry {
    return {
      ...sessionEntry(session),
      key: `message ${session.sessionId}`,
      group: 'In messages',
      label: `“${snippet.replace(/[⟨⟩]/g, '')}”`,
      icon: <MessageSquareText size={16} aria-hidden />,
      detail: session.title.value,
      choose: () => goTo({ view: 'session', sessionId: session.sessionId, find }),
    };
  }

  function sessionEntry(session: Session): PaletteEntry {
    const place = places.byId(session.providerId);
    return {
      key: session.sessionId,
      group: 'Sessions',
      label: session.title.value || 'New session',
      icon: <StatusGlyph status={rowStatus(session.status.value, session.isRead.value, session.isArchived.value)} />,
      detail: [session.workspace.value?.label, place?.name].filter(Boolean).join(', '),
      choose: () => goTo({ view: 'session', sessionId: session.sessionId }),
    };
  }

  /** Commands for the open session, if there is one. */
  function sessionCommands(): PaletteEntry[] {
    return sessionActions.value.map(({ label, icon, keys, choose }) =>
      command(label, icon ?? <SquareSlash size={16} aria-hidden />, choose, keys),
    );
  }

  function deviceCommands(): PaletteEntry[] {
    const role = hosts.all.value[0]?.role.value;
    if (!role || permissionError(role, 'createPairing') !== undefined) return [];
    const icon = <Smartphone size={16} aria-hidden />;
    return [command('Devices', icon, onDevices), command('Add a phone', icon, onAddPhone)];
  }

  function allCommands(): PaletteEntry[] {
    const dark = document.documentElement.dataset.theme === 'dark';
    return [
      ...(hosts.whyNoNewSession.value === undefined
        ? [command('New session', <SquarePen size={16} aria-hidden />, () => goTo({ view: 'new' }), 'N')]
        : []),
      ...sessionCommands(),
      command('Needs input', <Bell size={16} aria-hidden />, onTray, 'I'),
      command(dark ? 'Light theme' : 'Dark theme', <Moon size={16} aria-hidden />, () =>
        settings.update({ theme: dark ? 'light' : 'dark' }),
      ),
      command('Keyboard shortcuts', <Keyboard size={16} aria-hidden />, onShortcuts, '?'),
      command('Settings', <Settings size={16} aria-hidden />, onSettings),
      ...deviceCommands(),
      command('Add a host', <Plus size={16} aria-hidden />, onAddHost),
      ...hosts.all.value
        .filter(({ connection }) => connection.value.state === 'reconnecting')
        .map((host) =>
          command(`Reconnect to ${host.name}`, <RefreshCw size={16} aria-hidden />, () =>
            host.provider.status.retryNow(),
          ),
        ),
    ];
  }
}

function command(label: string, icon: PaletteEntry['icon'], choose: () => void, keys?: string): PaletteEntry {
  return { key: label, group: 'Commands', label, icon, choose, ...(keys && { keys }) };
}

function queryOf(text: string): string {
  return text.replace(/^>/, '').trim().toLowerCase();
}
