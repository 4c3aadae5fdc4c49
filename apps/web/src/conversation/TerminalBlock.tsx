import type { ToolCallState } from '@agenthost/protocol';
import { Terminal } from 'lucide-react';
import { useNow } from '../app/useNow.js';
import { CopyButton } from '../controls/CopyButton.js';
import { useChat } from './chatContext.js';
import { OutputText } from './OutputText.js';
import { clock, duration } from './times.js';

export function TerminalBlock({ call }: { readonly call: ToolCallState }) {
  const { staleSince, fetchContent } = useChat();
  const running = call.status === 'running';
  const now = useNow(running && staleSince === undefined);
  const command = call.toolInput ?? call.invocationMessage;
  const output = call.status === 'pendingConfirmation' ? undefined : call.output;
  const text = (call.status === 'completed' ? call.result.toolOutput : undefined) ?? output?.text ?? '';
  const uri = output?.ref?.uri;
  // A command that had to be allowed ran from then on, not from when it was asked about.
  const began = (call.status === 'pendingConfirmation' ? undefined : call.confirmed?.at) ?? call.startedAt;
  const took = ('endedAt' in call ? call.endedAt : (staleSince ?? now)) - began;
  const copied = uri && output?.truncated ? async () => (await fetchContent(uri)).text() : text;
  return (
    <figure className="card" aria-label={`Terminal: ${command}`}>
      <figcaption className="card-h">
        <Terminal size={15} aria-hidden />
        <span className="mono clip grow" title={command}>
          {command}
        </span>
        <span className="meta">{duration(took)}</span>
        <ExitBadge call={call} staleSince={staleSince} />
        <CopyButton text={copied} label="Copy output" />
      </figcaption>
      {(text !== '' || running) && (
        <OutputText text={text} output={output} of={command} live={running && staleSince === undefined} />
      )}
    </figure>
  );
}

function ExitBadge({ call, staleSince }: { readonly call: ToolCallState; readonly staleSince: number | undefined }) {
  if (call.status === 'running') {
    return staleSince === undefined ? (
      <span className="exit run">running</span>
    ) : (
      <span className="exit">last heard {clock(staleSince, true)}</span>
    );
  }
  if (call.status === 'cancelled') return <span className="exit">stopped</span>;
  if (call.status !== 'completed') return null;
  const { success, exitCode, error } = call.result;
  const label = exitCode === undefined ? (success ? 'done' : 'failed') : `exit ${exitCode}`;
  return (
    <span className={success ? 'exit ok' : 'exit bad'} title={error?.message}>
      {label}
    </span>
  );
}
