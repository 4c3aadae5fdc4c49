import type { ActionEnvelope, ActionParams, Notification, NotificationParams } from '@agenthost/protocol';
import type { RpcPeer } from '@agenthost/rpc';

export interface HostNotificationListeners {
  readonly onEnvelope: (envelope: ActionEnvelope) => void;
  readonly onNotification: (notification: Notification) => void;
}

/**
 * Listens to what the host tells. Looks only at what this client itself relies on: the reducers cope with anything else,
 * and the host has checked what it passes on.
 */
export function hostNotifications(peer: RpcPeer, listeners: HostNotificationListeners): void {
  peer.onNotification('action', {
    parse: (params) => {
      const { envelope } = (params ?? {}) as Partial<ActionParams>;
      if (!Number.isSafeInteger(envelope?.serverSeq) || typeof envelope?.action?.type !== 'string') {
        throw new TypeError('not an envelope');
      }
      return envelope;
    },
    handle: listeners.onEnvelope,
  });
  peer.onNotification('notification', {
    parse: (params) => {
      const { notification } = (params ?? {}) as Partial<NotificationParams>;
      if (typeof notification?.type !== 'string') throw new TypeError('not a notification');
      return notification;
    },
    handle: listeners.onNotification,
  });
}
