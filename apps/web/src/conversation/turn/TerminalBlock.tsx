import type { ToolCallState } from '@agenthost/protocol';
import { ClipboardCopy, Terminal } from 'lucide-react';
import { useNow } from '../../app/useNow.js';
import { CopyButton } from '../../controls/CopyButton.js';
import { useChat } from '../chatContext.js';
import { CommandText, commandLanguage } from '../prompts/CommandText.js';
import { clock, duration } from '../times.js';
import { OutputText } from './OutputText.js';

export function TerminalBlock({ call }: { readonly call: ToolCallState }) {
  const { staleSince, fetchContent } = useChat();
  const running = call.status === 'running';
  const now = useNow(running && staleSince === undefined);
  const command = call.toolInput ?? call.invocationMessage;
  const output = call.status === 'pendingConfirmation' ? undefined : call.output;
  const text = (call.status === 'completed' ? call.result.toolOutput : undefined) ?? output?.text ?? '';
  const uri = output?.ref?.uri;
  // A command that had to be allowed ran since then, not since it was asked about.
  const began = (call.status === 'pendingConfirmation' ? undefined : call.confirmed?.at) ?? call.startedAt;
  const took = ('endedAt' in call ? call.endedAt : (staleSince ?? now)) - began;
  const copied = uri && output?.truncated ? async () => (await fetchContent(uri)).text() : text;
  return (
    <figure className="card terminal" data-outcome={outcomeOf(call)} aria-label={`Terminal: ${firstLine(command)}`}>
      <figcaption className="card-h term-h">
        <Terminal size={15} aria-hidden />
        <CommandText text={command} language={commandLanguage(call)} />
        <span className="term-meta">
          <span className="meta">{duration(took)}</span>
          <ExitBadge call={call} staleSince={staleSince} />
          <CopyButton text={command} label="Copy command" icon={ClipboardCopy} />
          <CopyButton text={copied} label="Copy output" />
        </span>
      </figcaption>
      {(text !== '' || running) && (
        <OutputText text={text} output={output} of={firstLine(command)} live={running && staleSince === undefined} />
      )}
    </figure>
  );
}

/** For accessible names, which are read aloud. */
function firstLine(text: string): string {
  const [line = '', ...more] = text.split('\n');
  return more.length > 0 ? `${line} …` : line;
}

function outcomeOf(call: ToolCallState): 'success' | 'failure' | undefined {
  if (call.status !== 'completed') return undefined;
  return call.result.success ? 'success' : 'failure';
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
