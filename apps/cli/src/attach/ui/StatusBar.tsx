import { Text } from 'ink';
import { type ReactElement, useEffect, useState } from 'react';
import { safeLine } from '../../text/safeText.js';
import { fit } from '../../text/width.js';
import type { AttachModel } from '../attachModel.js';
import { canType } from '../inputKeys.js';
import { keyFocus } from '../keyFocus.js';

/** The last row: a message, else the state of the host, else the keys. */
export function StatusBar({ model, columns }: { readonly model: AttachModel; readonly columns: number }): ReactElement {
  const { notice } = model.ui;
  const connection = model.host.connection.value;
  const phase = model.chat?.phase.value;
  useSeconds(connection.state === 'reconnecting' || phase?.state === 'interrupted');
  if (connection.state === 'reconnecting' || connection.state === 'connecting') {
    return <Text color="yellow">{fit(awayText(model), columns)}</Text>;
  }
  if (phase?.state === 'interrupted') {
    const text = `The host can't load this session right now. Trying again ${countdown(phase.at)}, attempt ${phase.attempt}.`;
    return <Text color="yellow">{fit(text, columns)}</Text>;
  }
  const trouble = model.provider.status.trouble.value;
  if (trouble !== undefined) return <Text color="yellow">{fit(safeLine(trouble), columns)}</Text>;
  if (notice) {
    return <Text {...(notice.isError && { color: 'red' })}>{fit(safeLine(notice.text), columns)}</Text>;
  }
  if (model.ui.dialog?.kind === 'input') return <Text dimColor>{fit(TYPING_KEYS, columns)}</Text>;
  const focus = keyFocus(model);
  const typing = focus === 'composer' && canType(model) ? 'Ctrl+T type into the command · ' : '';
  return <Text dimColor>{fit(typing + KEYS[focus], columns)}</Text>;
}

const KEYS = {
  list: '⏎ open · n new · / search · e archive · u unread · r rename · f fork · i needs you · Tab write · ? keys · q leave',
  composer: '⏎ send · Ctrl+J new line · Ctrl+S steer · Esc Esc stop · PgUp scroll · Tab list · Ctrl+C twice leaves',
  prompt: 'Answer with a key · Esc write · Tab list',
} as const;

const TYPING_KEYS = '⏎ send the line · Ctrl+D end of the input · Ctrl+C interrupt the command · Esc back';

function awayText({ host, provider }: AttachModel): string {
  const connection = host.connection.value;
  if (connection.state !== 'reconnecting') return 'Connecting…';
  const since = provider.status.staleSince.value;
  const seen = since === undefined ? '' : ` You see the state of ${new Date(since).toTimeString().slice(0, 8)}.`;
  return `The host isn't answering. Reconnecting ${countdown(connection.at)}, attempt ${connection.attempt}.${seen}`;
}

function countdown(at: number): string {
  return `in ${Math.max(0, Math.ceil((at - Date.now()) / 1_000))} s`;
}

/** Draws each second while something counts down. */
function useSeconds(isActive: boolean): void {
  const [, setSecond] = useState(0);
  useEffect(() => {
    if (!isActive) return undefined;
    const timer = setInterval(() => setSecond((second) => second + 1), 1_000);
    return () => clearInterval(timer);
  }, [isActive]);
}
