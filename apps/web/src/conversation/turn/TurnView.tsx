import type {
  ActiveTurn,
  AnsweredPermission,
  CompletedToolCall,
  FileEditResultContent,
  ToolCallState,
  Turn,
  TurnStep,
} from '@agenthost/protocol';
import { GitFork, Info, TriangleAlert } from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import { CopyButton } from '../../controls/CopyButton.js';
import { Markdown } from '../../markdown/Markdown.js';
import { useChat } from '../chatContext.js';
import { AnsweredLine } from '../prompts/AnsweredLine.js';
import { Confirmation } from '../prompts/Confirmation.js';
import { ConfirmedLine } from '../prompts/ConfirmedLine.js';
import { Question } from '../prompts/Question.js';
import { ContentPart } from './ContentPart.js';
import { isEnded, isGroupable, type NestedSteps, nestSteps, splitRow, stepsBelow } from './callGroups.js';
import { DiffCard } from './DiffCard.js';
import { EarlierSteps } from './EarlierSteps.js';
import { ErrorCard } from './ErrorCard.js';
import { Reasoning } from './Reasoning.js';
import { SubAgent } from './SubAgent.js';
import { TerminalBlock } from './TerminalBlock.js';
import { ToolContents } from './ToolContents.js';
import { ToolGroup } from './ToolGroup.js';
import { ToolLine } from './ToolLine.js';
import { hasContents } from './toolContentsOf.js';
import { UserMessage } from './UserMessage.js';
import { useTurnSteps } from './useTurnSteps.js';
import { Waiting } from './Waiting.js';

/** An ended turn never changes, so it is rendered once. */
export const TurnView = memo(function TurnView({ turn }: { readonly turn: Turn }) {
  const { fork } = useChat();
  const answer = answerText(turn);
  return (
    <div className="turn" data-turn={turn.id}>
      <TurnHead turn={turn} />
      <Parts turn={turn} running={false} />
      {turn.state === 'cancelled' && <p className="notice">Stopped.</p>}
      {turn.error && <ErrorCard turn={turn} error={turn.error} />}
      <div className="turn-acts">
        {answer !== '' && <CopyButton text={answer} label="Copy answer" />}
        {fork && (
          <button type="button" className="btn quiet sm" onClick={() => fork(turn.id)}>
            <GitFork size={13} aria-hidden />
            Fork from here
          </button>
        )}
      </div>
    </div>
  );
});

/** What the agent wrote, as markdown. */
function answerText({ responseParts }: Turn): string {
  return responseParts.flatMap((part) => (part.kind === 'markdown' ? [part.content.trim()] : [])).join('\n\n');
}

/** The start of the turn: a message, or the agent itself. */
function TurnHead({ turn, kept = false }: { readonly turn: Turn | ActiveTurn; readonly kept?: boolean }) {
  if (turn.origin === 'agent') return <p className="notice">The agent continued on its own.</p>;
  return <UserMessage message={turn.userMessage} by={turn.by} at={turn.startedAt} kept={kept} />;
}

export const ActiveTurnView = memo(function ActiveTurnView({
  turn,
  kept,
  activity,
}: {
  readonly turn: ActiveTurn;
  readonly kept: boolean;
  readonly activity: string | undefined;
}) {
  const permissions = Object.values(turn.pendingPermissions);
  return (
    <div className="turn" data-turn={turn.id} aria-busy="true">
      <TurnHead turn={turn} kept={kept} />
      <Parts turn={turn} running={!kept && permissions.length === 0} />
      {!kept && <Waiting turn={turn} activity={activity} />}
      {permissions.map((request) => (
        <Question key={request.requestId} turnId={turn.id} request={request} />
      ))}
    </div>
  );
});

interface PartsProps {
  readonly turn: ActiveTurn | Turn;
  readonly running: boolean;
}

function Parts({ turn, running }: PartsProps) {
  const { staleSince, me } = useChat();
  const { steps, ...earlier } = useTurnSteps(turn);
  const nested = useMemo(() => nestSteps(steps), [steps]);
  const context = { turn, nested, running, isLive: staleSince === undefined, me, earlier: earlier.earlier };
  return (
    <div className="answer">
      <EarlierSteps {...earlier} />
      {stepNodes(nested.top, context, { isTop: true })}
    </div>
  );
}

interface StepContext {
  readonly turn: ActiveTurn | Turn;
  readonly nested: NestedSteps;
  readonly running: boolean;
  /** The host is heard of, so that running steps run. */
  readonly isLive: boolean;
  readonly me: ReadonlySet<string>;
  /** The position of the first step that is loaded without a gap after it. */
  readonly earlier: number;
}

/** Successive lines share one rail; successive calls that have ended share one line; calls of a sub-agent are under its call. */
function stepNodes(
  steps: readonly TurnStep[],
  context: StepContext,
  { isTop }: { readonly isTop: boolean },
): ReactNode[] {
  const { turn, nested, running, isLive, me } = context;
  const shown: ReactNode[] = [];
  let lines: ReactNode[] = [];
  let row: CompletedToolCall[] = [];
  const showCall = (call: ToolCallState, isLast: boolean) => {
    lines.push(<ConfirmedLine key={`${call.toolCallId} by`} call={call} />);
    const blocks = callBlocks(call, turn.id, !isLast);
    if (blocks.length === 0) lines.push(<ToolLine key={call.toolCallId} call={call} />);
    else {
      endLines();
      shown.push(...blocks);
    }
    if (hasContents(call)) {
      endLines();
      shown.push(<ToolContents key={`${call.toolCallId} contents`} call={call} />);
    }
  };
  const endRow = () => {
    const { group, alone } = splitRow(row);
    row = [];
    if (group.length > 0)
      lines.push(<ToolGroup key={`group ${group[0]?.toolCallId}`} turnId={turn.id} calls={group} />);
    for (const call of alone) showCall(call, false);
  };
  const endLines = () => {
    if (lines.length > 0)
      shown.push(
        <div className="steps" key={`steps ${shown.length}`}>
          {lines}
        </div>,
      );
    lines = [];
  };
  const showSubAgent = (call: ToolCallState, index: number, own: readonly TurnStep[]) => {
    const below = stepsBelow(nested, call.toolCallId);
    const open = () => below.filter((step) => step.call && !isEnded(step.call));
    endRow();
    if (call.status === 'pendingConfirmation') showCall(call, false);
    else lines.push(<ConfirmedLine key={`${call.toolCallId} by`} call={call} />);
    endLines();
    shown.push(
      <SubAgent
        key={`sub-agent ${call.toolCallId}`}
        turnId={turn.id}
        call={call}
        steps={below}
        hasEarlier={index < context.earlier}
        show={(what) =>
          what === 'all'
            ? stepNodes(own, context, { isTop: false })
            : stepNodes(open(), { ...context, nested: NOT_NESTED }, { isTop: false })
        }
      />,
    );
  };
  const answersBetween = (after: number, upTo: number) => {
    if (!isTop) return;
    for (const one of turn.answeredPermissions ?? []) {
      if (one.afterParts <= after || one.afterParts > upTo) continue;
      endRow();
      lines.push(<Answered key={one.at + one.requestId} answer={one} me={me} />);
    }
  };
  // Answers from before the first shown step are shown with the earlier steps.
  let before = (steps[0]?.index ?? 0) - 1;
  steps.forEach(({ index, part, call }, at) => {
    answersBetween(before, index);
    before = index;
    const isLast = isTop && at === steps.length - 1;
    const last = running && isLast;
    if (part.kind === 'toolCall' && !call) return;
    const own = call && nested.under.get(call.toolCallId);
    if (call && own) {
      showSubAgent(call, index, own);
      return;
    }
    // A command that ends the turn is its answer, and is not folded.
    if (call && isGroupable(call) && !(isLast && call.toolKind === 'terminal')) {
      row.push(call);
      return;
    }
    endRow();
    if (call) {
      showCall(call, isLast);
      return;
    }
    if (part.kind === 'reasoning') {
      lines.push(<Reasoning key={part.id} part={part} running={last} />);
      return;
    }
    if (part.kind === 'notice') {
      // For clients that know no answered requests, the host says the answer again.
      const isAnswer = part.id.startsWith('answer-');
      if (isAnswer && turn.answeredPermissions?.some(({ afterParts }) => afterParts === index)) return;
      lines.push(<Notice key={part.id} severity={part.severity} text={part.text} />);
      return;
    }
    endLines();
    if (part.kind === 'markdown') shown.push(<Markdown key={part.id} text={part.content} streaming={last && isLive} />);
    else if (part.kind === 'steering')
      shown.push(<UserMessage key={part.id} message={part.userMessage} by={part.by} />);
    else if (part.kind === 'contentRef') shown.push(<ContentPart key={part.id} content={part.ref} />);
  });
  endRow();
  answersBetween(before, before + 1);
  endLines();
  return shown;
}

const NOT_NESTED: NestedSteps = { top: [], under: new Map() };

function Answered({ answer, me }: { readonly answer: AnsweredPermission; readonly me: ReadonlySet<string> }) {
  const { text = answer.optionLabel, ...rest } = answer;
  const said = text === undefined ? rest : { ...rest, text };
  return <AnsweredLine kind={answer.kind} answer={said} me={me} title={answer.title} />;
}

/** What needs more than a line. An edit with a diff is shown as its diff. */
function callBlocks(call: ToolCallState, turnId: string, foldable: boolean): ReactNode[] {
  if (call.status === 'pendingConfirmation')
    return [<Confirmation key={call.toolCallId} turnId={turnId} call={call} />];
  if (call.toolKind === 'terminal') return [<TerminalBlock key={call.toolCallId} call={call} foldable={foldable} />];
  if (call.status !== 'completed' || !call.result.success) return [];
  const edits = call.result.content?.filter(
    (content): content is FileEditResultContent => content.type === 'fileEdit' && content.diff !== undefined,
  );
  return edits?.map((edit) => <DiffCard key={`${call.toolCallId} ${edit.uri}`} edit={edit} />) ?? [];
}

function Notice({ severity, text }: { readonly severity: 'info' | 'warning' | 'error'; readonly text: string }) {
  const Icon = severity === 'info' ? Info : TriangleAlert;
  return (
    <div className={severity === 'error' ? 'line bad' : 'line'}>
      <Icon size={16} aria-hidden />
      <span className="grow">{text}</span>
    </div>
  );
}
