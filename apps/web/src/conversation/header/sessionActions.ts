import { observable, type SettableObservable } from '@agenthost/sessions';
import type { ReactNode } from 'react';

/** Something that can be done with the open session. */
export interface SessionAction {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly keys?: string | undefined;
  readonly choose: () => void;
}

/** What can be done with the open session now; the conversation keeps it up to date, the palette offers it. */
export const sessionActions: SettableObservable<readonly SessionAction[]> = observable<readonly SessionAction[]>([]);
