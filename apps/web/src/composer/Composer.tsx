import type { SessionCommand, UserMessage } from '@agenthost/protocol';
import { ArrowUp, CornerDownLeft, Paperclip, Square, X } from 'lucide-react';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { type Draft, fitsDraft } from '../app/messageDrafts.js';
import { problemText } from '../app/problemText.js';
import { Problem } from '../controls/Problem.js';
import { AttachmentIcon } from '../conversation/turn/MessageAttachment.js';
import type { SessionFolder } from '../files/useChatFiles.js';
import { CommandOptions } from './CommandOptions.js';
import { MentionOptions } from './MentionOptions.js';
import { readAttachments } from './readAttachments.js';
import { useCommandList } from './useCommandList.js';
import { useMentions } from './useMentions.js';

interface ComposerProps {
  readonly draft: Draft;
  readonly onDraft: (draft: Draft) => void;
  /** Takes the message out of the draft; when it rejects, the text is restored. */
  readonly onSend: (message: UserMessage, how: 'send' | 'steer') => Promise<void>;
  readonly onStop: () => void;
  readonly onEditLast: () => void;
  readonly running: boolean;
  readonly canSteer: boolean;
  readonly placeholder: string;
  /** The agent's slash commands. */
  readonly commands?: readonly SessionCommand[];
  /** The files that can be mentioned, and where they are. */
  readonly folder?: SessionFolder | undefined;
  readonly folderUri?: string | undefined;
  readonly autoFocus?: boolean;
  /** The label, when sending does more than that. */
  readonly sendLabel?: string;
  /** Agent and model. */
  readonly children?: ReactNode;
}

const STOP_WITHIN_MS = 1500;
const NO_COMMANDS: readonly SessionCommand[] = [];

export function Composer(props: ComposerProps) {
  const { draft, onDraft, running, canSteer, placeholder, sendLabel } = props;
  const [problem, setProblem] = useState<string>();
  const field = useRef<HTMLTextAreaElement>(null);
  const files = useRef<HTMLInputElement>(null);
  // Not 0: that is when the page was opened, and one Escape right after it would stop the turn.
  const lastEscape = useRef(Number.NEGATIVE_INFINITY);
  const empty = draft.text.trim() === '' && draft.attachments.length === 0;
  const list = useCommandList(props.commands ?? NO_COMMANDS, draft.text, (text) => onDraft({ ...draft, text }));
  const { folder, folderUri } = props;
  const mentions = useMentions({ folder, folderUri, draft, onDraft, field });
  useGrowing(field, draft.text);
  useEffect(() => {
    if (props.autoFocus) field.current?.focus();
  }, [props.autoFocus]);

  const send = (how: 'send' | 'steer') => {
    if (empty) return;
    setProblem(undefined);
    const message = { text: draft.text, ...(draft.attachments.length > 0 && { attachments: draft.attachments }) };
    props.onSend(message, how).catch((error: unknown) => setProblem(problemText(error)));
  };
  const attach = async (list: readonly File[]) => {
    const { attachments, refused } = await readAttachments(list);
    const all = [...draft.attachments, ...attachments];
    if (attachments.length > 0) onDraft({ ...draft, attachments: all });
    setProblem(
      refused ?? (fitsDraft(all) ? undefined : 'These attachments are large: a reload before sending loses them.'),
    );
  };
  const keyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || mentions.keyDown(event) || list.keyDown(event)) return;
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send(running && canSteer && (event.ctrlKey || event.metaKey) ? 'steer' : 'send');
    } else if (event.key === 'ArrowUp' && draft.text === '') {
      event.preventDefault();
      props.onEditLast();
    } else if (event.key === 'Escape' && running) {
      const now = event.timeStamp;
      if (now - lastEscape.current < STOP_WITHIN_MS) props.onStop();
      lastEscape.current = now;
    }
  };
  const paste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    if (pasted.length === 0) return;
    event.preventDefault();
    void attach(pasted);
  };
  const drop = (event: DragEvent) => {
    if (event.dataTransfer.files.length === 0) return;
    event.preventDefault();
    void attach([...event.dataTransfer.files]);
  };
  return (
    <form
      className={sendLabel ? 'composer tall' : 'composer'}
      onSubmit={(event) => event.preventDefault()}
      onDrop={drop}
      onDragOver={(event) => event.preventDefault()}
    >
      {draft.attachments.length > 0 && (
        <ul className="atts" aria-label="Attachments">
          {draft.attachments.map((attachment, index) => (
            <li className="att" key={index}>
              <AttachmentIcon kind={attachment.kind} />
              <span className="clip">{attachment.label}</span>
              <button
                type="button"
                className="ib sm"
                aria-label={`Remove ${attachment.label}`}
                onClick={() =>
                  onDraft({ ...draft, attachments: draft.attachments.filter((_, place) => place !== index) })
                }
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <CommandOptions {...list} />
      {folder && <MentionOptions {...mentions} />}
      <textarea
        ref={field}
        rows={1}
        value={draft.text}
        placeholder={placeholder}
        aria-label="Message"
        {...list.field}
        {...mentions.field}
        aria-autocomplete={props.commands || folder ? 'list' : 'none'}
        data-composer
        onChange={(event) => mentions.change(event.target.value)}
        onSelect={mentions.caretMoved}
        onKeyDown={keyDown}
        onPaste={paste}
      />
      <Problem text={problem} />
      <div className="bar">
        <button
          type="button"
          className="ib"
          aria-label="Attach files"
          title="Attach files"
          onClick={() => files.current?.click()}
        >
          <Paperclip size={16} aria-hidden />
        </button>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            void attach([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
        {props.children}
        <span className="grow" />
        <span className="hint" aria-hidden="true">
          <kbd>
            <CornerDownLeft size={11} />
          </kbd>{' '}
          {running ? 'queue' : sendLabel ? 'start' : 'send'}
          {running && canSteer && (
            <>
              <kbd>
                Ctrl <CornerDownLeft size={11} />
              </kbd>{' '}
              steer
            </>
          )}
        </span>
        {running && (
          <button
            type="button"
            className="stop"
            aria-label="Stop the turn"
            title="Stop (Esc Esc)"
            onClick={props.onStop}
          >
            <Square size={12} fill="currentColor" aria-hidden />
          </button>
        )}
        <button
          type="button"
          className={['send', ...(empty ? ['off'] : []), ...(sendLabel ? ['words'] : [])].join(' ')}
          aria-disabled={empty}
          aria-label={running ? 'Queue' : (sendLabel ?? 'Send')}
          onClick={() => send('send')}
        >
          {sendLabel ?? <ArrowUp size={16} aria-hidden />}
        </button>
      </div>
    </form>
  );
}

/** As high as its text, up to a third of the window. */
function useGrowing(field: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: grows whenever the text has changed
  useEffect(() => {
    const { current } = field;
    if (!current) return;
    current.style.height = 'auto';
    current.style.height = `${Math.min(current.scrollHeight, window.innerHeight / 3)}px`;
  }, [text]);
}
