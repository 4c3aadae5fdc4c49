import type { ChangesComparison, PickedSession, SessionState, Several, TestRun } from '@agenthost/protocol';
import { Check, GitMerge, Play, Square } from 'lucide-react';
import { useState } from 'react';
import type { PageHost } from '../app/pagePlace.js';
import { goTo } from '../app/route.js';
import { useAttempt } from '../app/useAttempt.js';
import { useObservable } from '../app/useObservable.js';
import { Problem } from '../controls/Problem.js';
import { roughly } from '../conversation/times.js';
import { Delta } from '../conversation/turn/DiffCard.js';
import { AgentIcon } from '../glyphs/agentIcon.js';
import { type RowStatus, StatusGlyph } from '../glyphs/StatusGlyph.js';
import { agentName } from '../list/agentName.js';
import { Markdown } from '../markdown/Markdown.js';
import { LandDialog } from './LandDialog.js';
import { severalStarts } from './severalStarts.js';
import type { Member } from './useMember.js';

interface MemberCardProps {
  readonly host: PageHost;
  readonly group: Several;
  /** That was chosen for it. */
  readonly model: string | undefined;
  readonly member: Member;
  readonly pick: PickedSession | undefined;
  /** Why nothing can be changed now. */
  readonly stale: string | undefined;
  readonly mayDrive: boolean;
}

const SHOWN_FILES = 6;
const SHOWN_LINES = 8;

export function MemberCard(props: MemberCardProps) {
  const { host, group, model, member, pick, stale, mayDrive } = props;
  const { uri, state } = member;
  const provider = uri.slice(0, uri.indexOf(':'));
  const name = agentName(host, provider);
  const agents = useObservable(host.provider.status.agents);
  const agent = agents.find((one) => one.provider === provider);
  const modelId = state?.summary.model ?? model;
  const modelName = agent?.models.find(({ id }) => id === modelId)?.name ?? modelId;
  const isPicked = pick?.session === uri;
  const [isLanding, setLanding] = useState(false);
  const off =
    stale ??
    (state?.activeTurn ? `${name} is at work: stop it, or wait for its end` : undefined) ??
    (pick && !isPicked ? 'Another one was picked' : undefined);
  return (
    <li className={isPicked ? 'cmp-card picked' : 'cmp-card'} aria-label={name}>
      <div className="cmp-h">
        <AgentIcon icon={agent?.icon ?? 'chip'} size={16} />
        <h2 className="clip">{name}</h2>
        {modelName !== undefined && <span className="aux clip">{modelName}</span>}
        <span className="grow" />
        {isPicked && (
          <span className="tag cmp-pick">
            <Check size={12} aria-hidden /> Picked
          </span>
        )}
      </div>
      {state ? (
        <>
          <StatusLine state={state} />
          <Changes comparison={comparisonOf(member)} problem={member.changes?.problem?.message} uri={uri} host={host} />
          <Tests host={host} member={member} off={stale} mayDrive={mayDrive} />
          <Usage state={state} />
          <Answer state={state} />
          <div className="cmp-acts">
            <button type="button" className="btn quiet sm" onClick={() => open(host, uri)}>
              Open
            </button>
            <button type="button" className="btn quiet sm" onClick={() => open(host, uri, true)}>
              Review
            </button>
            <span className="grow" />
            {mayDrive && state.lifecycle === 'ready' && (
              <button
                type="button"
                className="btn plain sm"
                disabled={off !== undefined}
                title={off}
                onClick={() => setLanding(true)}
              >
                <GitMerge size={14} aria-hidden />
                {isPicked ? 'Land it' : 'Land this one'}
              </button>
            )}
          </div>
          {isLanding && member.model && (
            <LandDialog
              host={host}
              group={group}
              uri={uri}
              name={name}
              title={state.summary.title}
              model={member.model}
              onClose={() => setLanding(false)}
            />
          )}
        </>
      ) : (
        <Missing {...props} name={name} />
      )}
    </li>
  );
}

function open(host: PageHost, uri: string, isReview = false): void {
  goTo({ view: 'session', sessionId: `${host.id}:${uri}`, ...(isReview && { review: true }) });
}

/** It is being made, could not be made, or was deleted. */
function Missing({ host, group, model, member, mayDrive, stale, name }: MemberCardProps & { readonly name: string }) {
  const start = useObservable(severalStarts).get(member.uri);
  const [isTrying, setTrying] = useState(false);
  const { problem, attempt } = useAttempt();
  const isStarting = start === 'starting' || isTrying;
  const isOpening = member.phase === undefined || member.phase === 'opening';
  if (isStarting || (isOpening && !start)) {
    return (
      <p className="cmp-miss" role="status">
        {isStarting ? `${name} is being started…` : 'Loading…'}
      </p>
    );
  }
  const said = problem ?? (start ? start.problem : undefined);
  const again = () => {
    setTrying(true);
    const wanted = { session: member.uri, ...(model !== undefined && { model }) };
    attempt(host.provider.status.several.startAgain(group, wanted).finally(() => setTrying(false)));
  };
  return (
    <div className="cmp-miss">
      <p>{said === undefined ? 'This session was deleted, or could not be created.' : 'It could not be created.'}</p>
      <Problem text={said} />
      {mayDrive && (
        <button type="button" className="btn plain sm" disabled={stale !== undefined} title={stale} onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

const WORDS: Readonly<Record<RowStatus, string>> = {
  running: 'At work',
  needsInput: 'Needs input',
  error: 'Ended with an error',
  doneUnread: 'Done',
  done: 'Done',
  untitled: 'Not started',
  archived: 'Archived',
};

function StatusLine({ state }: { readonly state: SessionState }) {
  const { summary, activeTurn, turns, lifecycle, creationError } = state;
  const shown = statusOf(state);
  const last = turns.at(-1);
  const took = activeTurn || !last ? undefined : roughly(Math.max(0, last.endedAt - last.startedAt));
  const problem = lifecycle === 'creationFailed' ? creationError?.message : last?.error?.message;
  return (
    <>
      <p className="cmp-line">
        <StatusGlyph status={shown} />
        <span className="clip">{(shown === 'running' && summary.activity) || WORDS[shown]}</span>
        {shown === 'done' && took !== undefined && <span className="aux num">after {took}</span>}
      </p>
      {(shown === 'error' || lifecycle === 'creationFailed') && <Problem text={problem} />}
    </>
  );
}

function statusOf({ summary, lifecycle, turns, activeTurn }: SessionState): RowStatus {
  if (lifecycle === 'creationFailed') return 'error';
  const status = { inProgress: 'running', inputNeeded: 'needsInput', error: 'error', idle: undefined } as const;
  const shown = status[summary.status];
  if (shown === 'running' || shown === 'needsInput') return shown;
  if (summary.isArchived) return 'archived';
  return shown ?? (turns.length === 0 && !activeTurn ? 'untitled' : 'done');
}

/** Against the base, where git knows it: what would be landed. */
function comparisonOf({ changes }: Member): ChangesComparison | undefined {
  const of = (since: string) => changes?.comparisons.find((one) => one.since === since);
  return of('base') ?? of('session');
}

interface ChangesProps {
  readonly comparison: ChangesComparison | undefined;
  readonly problem: string | undefined;
  readonly host: PageHost;
  readonly uri: string;
}

function Changes({ comparison, problem, host, uri }: ChangesProps) {
  if (!comparison) return <p className="cmp-line dim">{problem ?? 'Looking at its changes…'}</p>;
  const { files, total, additions, deletions } = comparison;
  const more = total - Math.min(files.length, SHOWN_FILES);
  return (
    <section className="cmp-part" aria-label="Changes">
      <p className="cmp-line">
        <span>{total === 0 ? 'No changes' : total === 1 ? '1 file' : `${total.toLocaleString('en')} files`}</span>
        <Delta insertions={additions} deletions={deletions} />
      </p>
      {total > 0 && (
        <ul className="cmp-files">
          {files.slice(0, SHOWN_FILES).map((file) => (
            <li key={file.path}>
              <span className="mono clip grow" title={file.path}>
                {file.path}
              </span>
              <Delta insertions={file.additions ?? 0} deletions={file.deletions ?? 0} />
            </li>
          ))}
          {more > 0 && (
            <li>
              <button type="button" className="btn quiet sm" onClick={() => open(host, uri, true)}>
                {more.toLocaleString('en')} more
              </button>
            </li>
          )}
        </ul>
      )}
    </section>
  );
}

const TEST_WORDS: Readonly<Record<TestRun['status'], string>> = {
  waiting: 'Tests wait for others',
  running: 'Tests are running',
  passed: 'Tests pass',
  failed: 'Tests fail',
  stopped: 'Tests were stopped',
  timedOut: 'Tests took too long',
  lost: 'The host ended during the tests',
};

interface TestsProps {
  readonly host: PageHost;
  readonly member: Member;
  readonly off: string | undefined;
  readonly mayDrive: boolean;
}

function Tests({ host, member: { uri, state }, off, mayDrive }: TestsProps) {
  const { work } = host.provider.status;
  const { problem, attempt } = useAttempt();
  const [isWhole, setWhole] = useState(false);
  const tests = state?.tests;
  const isRunning = tests?.status === 'waiting' || tests?.status === 'running';
  const ended = state?.summary.lastTurnEndedAt ?? 0;
  const isOld = tests !== undefined && !isRunning && (ended > tests.startedAt || state?.activeTurn !== undefined);
  const lines = (tests?.output ?? '').split('\n');
  const shown = isWhole ? lines : lines.slice(-SHOWN_LINES);
  const tone = tests?.status === 'passed' ? 'good' : isRunning || tests === undefined ? '' : 'bad';
  return (
    <section className="cmp-part" aria-label="Tests">
      <p className="cmp-line">
        <span className={`cmp-test ${tone}`} role="status">
          {tests ? TEST_WORDS[tests.status] : 'Tests did not run yet'}
          {tests?.exitCode !== undefined && tests.exitCode !== 0 && `, exit ${tests.exitCode}`}
        </span>
        {isOld && <span className="aux">before its last change</span>}
        <span className="grow" />
        {mayDrive && isRunning && (
          <button
            type="button"
            className="btn quiet sm"
            disabled={off !== undefined}
            title={off}
            onClick={() => attempt(work.stopTests(uri))}
          >
            <Square size={12} aria-hidden /> Stop
          </button>
        )}
        {mayDrive && !isRunning && tests && (
          <button
            type="button"
            className="btn quiet sm"
            disabled={off !== undefined}
            title={off ?? tests.command}
            onClick={() => attempt(work.runTests(uri))}
          >
            <Play size={12} aria-hidden /> Run again
          </button>
        )}
      </p>
      <Problem text={problem} />
      {tests?.output && (
        <>
          <pre className="cmp-out" tabIndex={0} role="region" aria-label="Output of the tests">
            {shown.join('\n')}
          </pre>
          {lines.length > SHOWN_LINES && (
            <button type="button" className="btn quiet sm" onClick={() => setWhole(!isWhole)}>
              {isWhole ? 'Show less' : `Show ${tests.isCut ? 'the last ' : 'all '}${lines.length} lines`}
            </button>
          )}
        </>
      )}
    </section>
  );
}

/** What the agent reports; nothing where it reports nothing. */
function Usage({ state }: { readonly state: SessionState }) {
  const usages = [...state.turns, state.activeTurn].flatMap((turn) => turn?.usage ?? []);
  if (usages.length === 0) return null;
  const costs = usages.flatMap(({ cost }) => cost ?? []);
  const cost = costs.reduce((sum, one) => sum + one, 0);
  const tokens = usages.reduce((sum, one) => sum + (one.inputTokens ?? 0) + (one.outputTokens ?? 0), 0);
  const least = state.earlierTurns === undefined ? '' : 'at least ';
  return (
    <p className="cmp-line num" aria-label="Usage">
      {costs.length > 0 && <span>{least + (cost > 0 && cost < 0.01 ? 'under $0.01' : `$${cost.toFixed(2)}`)}</span>}
      {tokens > 0 && <span className="aux">{`${least}${tokens.toLocaleString('en')} tokens`}</span>}
    </p>
  );
}

/** The last text of its last turn. */
function Answer({ state }: { readonly state: SessionState }) {
  const turns = [...state.turns, ...(state.activeTurn ? [state.activeTurn] : [])];
  const texts = turns.flatMap(({ responseParts }) =>
    responseParts.flatMap((part) => (part.kind === 'markdown' && part.content.trim() !== '' ? part.content : [])),
  );
  const last = texts.at(-1);
  if (last === undefined) return null;
  return (
    <div className="cmp-answer" tabIndex={0} role="region" aria-label="Last answer">
      <Markdown text={last} />
    </div>
  );
}
