import type { ToolCallState } from '@agenthost/protocol';
import { ShieldCheck, ShieldX } from 'lucide-react';
import { authorName } from './authorName.js';
import { useChat } from './chatContext.js';
import { clock } from './times.js';

/** "Allowed by Mira, on iPhone": who decided. Nothing where nobody had to. */
export function ConfirmedLine({ call }: { readonly call: ToolCallState }) {
  const { me } = useChat();
  if (call.status === 'pendingConfirmation' || call.confirmed?.how !== 'user') return null;
  const denied = call.status === 'cancelled' && call.cancelled === 'denied';
  const { name, device } = authorName(call.confirmed.by, me);
  const always = call.confirmed.optionId !== undefined && /session|always/i.test(call.confirmed.optionId);
  const Shield = denied ? ShieldX : ShieldCheck;
  return (
    <div className="line">
      <Shield size={16} aria-hidden />
      <span className="grow">
        {denied ? 'Denied' : always ? 'Always allowed in this session' : 'Allowed'} by <b>{name}</b>
        {device}
        {denied && call.reason && `: ${call.reason}`}
      </span>
      <span className="aux num">{clock(call.startedAt)}</span>
    </div>
  );
}
