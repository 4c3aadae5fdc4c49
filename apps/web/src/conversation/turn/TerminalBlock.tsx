import type { ToolCallState } from '@agenthost/protocol';
import { Check, ChevronDown, ChevronRight, CircleX, ClipboardCopy, Terminal } from 'lucide-react';
import { useNow } from '../../app/useNow.js';
import { CopyButton } from '../../controls/CopyButton.js';
import { useKept } from '../../controls/useKept.js';
import { useChat } from '../chatContext.js';
import { CommandText, commandLanguage } from '../prompts/CommandText.js';
import { clock, duration } from '../times.js';
import { CommandInput, LastInput } from './CommandInput.js';
import { OutputText } from './OutputText.js';

interface TerminalBlockProps {
  readonly call: ToolCallState;
  /** Other steps follow: a finished one begins folded, a successful one to its command, a failed one to its last lines. */
  readonly foldable?: boolean;
}

export function TerminalBlock({ call, foldable = false }: TerminalBlockProps) {
  const { staleSince, fetchContent } = useChat();
  const [open, setOpen] = useKept(`terminal ${call.toolCallId}`, false);
  const running = call.status === 'running';
  const now = useNow(running && staleSince === undefined);
  const command = call.toolInput ?? call.invocationMessage;
  const output = call.status === 'pendingConfirmation' ? undefined : call.output;
  const text = (call.status === 'completed' ? call.result.toolOutput : undefined) ?? output?.text ?? '';
  const uri = output?.ref?.uri;
  // A command that had to be allowed ran since then, not since it was asked about.
  const began = (call.status === 'pendingConfirmation' ? undefined : call.confirmed?.at) ?? call.startedAt;
  const took = ('endedAt' in call ? call.endedAt : (staleSince ?? now)) - began;
  const folded = foldable && !open && !running;
  const outcome = outcomeOf(call);
  const copied = uri && output?.truncated ? async () => (await fetchContent(uri)).text() : text;
  return (
    <figure className="card terminal" data-outcome={outcome} aria-label={`Terminal: ${firstLine(command)}`}>
      <figcaption className="card-h term-h">
        <OutcomeIcon outcome={outcome} />
        <CommandText text={command} language={commandLanguage(call)} />
        <span className="term-meta">
          <span className="meta">{duration(took)}</span>
          <ExitBadge call={call} staleSince={staleSince} />
          <CopyButton text={command} label="Copy command" icon={ClipboardCopy} />
          <CopyButton text={copied} label="Copy output" />
          {foldable && !running && text !== '' && (
            <button
              type="button"
              className="ib sm"
              aria-label={folded ? 'Show the output' : 'Fold the output'}
              aria-expanded={!folded}
              onClick={() => setOpen(folded)}
            >
              {folded ? <ChevronRight size={14} aria-hidden /> : <ChevronDown size={14} aria-hidden />}
            </button>
          )}
        </span>
      </figcaption>
      {(text !== '' || running) && !(folded && outcome === 'success') && (
        <OutputText
          text={text}
          output={output}
          of={firstLine(command)}
          live={running && staleSince === undefined}
          folded={folded}
          onUnfold={() => setOpen(true)}
        />
      )}
      {running && call.takesInput && <CommandInput call={call} printed={text} />}
      {!running && !folded && <LastInput call={call} />}
    </figure>
  );
}

/** For accessible names, which are read aloud. */
function firstLine(text: string): string {
  const [line = '', ...more] = text.split('\n');
  return more.length > 0 ? `${line} …` : line;
}

function OutcomeIcon({ outcome }: { readonly outcome: ReturnType<typeof outcomeOf> }) {
  if (outcome === 'failure') return <CircleX className="bad" size={15} role="img" aria-label="Failed" />;
  if (outcome === 'success') return <Check size={15} role="img" aria-label="Done" />;
  return <Terminal size={15} aria-hidden />;
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
  if (call.status === 'cancelled')
    return <span className="exit">{call.cancelled === 'denied' ? 'denied' : 'stopped'}</span>;
  if (call.status !== 'completed') return null;
  const { success, exitCode, error } = call.result;
  const label = exitCode === undefined ? (success ? 'ended' : 'failed') : `exit ${exitCode}`;
  return (
    <span className={success ? 'exit ok' : 'exit bad'} title={error?.message}>
      {label}
    </span>
  );
}
