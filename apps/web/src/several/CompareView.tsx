import type { Several } from '@agenthost/protocol';
import { ArrowLeft, ChevronLeft, FlaskConical, Play } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ownIds } from '../app/ownIds.js';
import type { PageHost } from '../app/pagePlace.js';
import { permissionError } from '../app/permissionError.js';
import { goTo } from '../app/route.js';
import { useAttempt } from '../app/useAttempt.js';
import { useNarrow } from '../app/useNarrow.js';
import { useObservable } from '../app/useObservable.js';
import { Problem } from '../controls/Problem.js';
import { authorName } from '../conversation/authorName.js';
import { HostState } from '../conversation/header/HostState.js';
import { agentName } from '../list/agentName.js';
import { MemberCard } from './MemberCard.js';
import { type Member, useMember } from './useMember.js';
import './several.css';
import './compare.css';

interface CompareViewProps {
  readonly host: PageHost;
  readonly group: Several;
}

/** Several sessions with one prompt, side by side: what each did, whether its tests pass, what it cost. One is landed. */
export function CompareView({ host, group }: CompareViewProps) {
  const isNarrow = useNarrow();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const close = () => goTo({ view: 'start' });
  return (
    <main className="main cmp">
      <header className="head">
        <button
          type="button"
          className="ib rv-back"
          aria-label="Back to the list"
          title="Back to the list"
          onClick={close}
        >
          {isNarrow ? <ChevronLeft size={20} aria-hidden /> : <ArrowLeft size={17} aria-hidden />}
        </button>
        <div className="grow">
          <h1 className="clip" ref={heading} tabIndex={-1}>
            {group.title || 'Compare'}
          </h1>
          <div className="sub">
            <span>{group.members.length} sessions with the same message</span>
          </div>
        </div>
        <div className="right">
          <HostState host={host} />
        </div>
      </header>
      <Members key={group.members[0]?.session} host={host} group={group} />
    </main>
  );
}

/** Their number never changes, so each has its hooks. */
function Members({ host, group }: CompareViewProps) {
  // biome-ignore lint/correctness/useHookAtTopLevel: the list of members stays what it was made with
  const members = group.members.map(({ session }) => useMember(host, session));
  const role = useObservable(host.role);
  const staleSince = useObservable(host.staleSince);
  const me = useObservable(ownIds);
  const { problem, attempt } = useAttempt();
  const { several } = host.provider.status;
  const stale = staleSince === undefined ? undefined : `${host.name} isn't answering. Reading works, changing doesn't.`;
  const pick = members.map(({ state }) => state?.picked).find((picked) => picked !== undefined);
  const picked = pick && members.find(({ uri }) => uri === pick.session);
  const mayDrive = permissionError(role, 'session/pickChanged') === undefined;
  const left = members.filter(({ uri, state }) => uri !== pick?.session && state && !state.summary.isArchived);
  return (
    <div className="cmp-b" role="region" aria-label="Comparison" tabIndex={0}>
      <TestBar host={host} members={members} off={stale ?? permissionError(role, 'runTests')} />
      <Problem text={problem} />
      {pick && (
        <div className="cmp-note" role="status">
          <span className="grow">
            <b>{picked?.state ? agentName(host, picked.state.summary.provider) : 'A session that was deleted'}</b> was
            picked{pick.by && ` by ${authorName(pick.by, me).name}`}.
            {left.length > 0 && ` ${left.length === 1 ? '1 other is' : `${left.length} others are`} not archived.`}
          </span>
          {mayDrive && left.length > 0 && (
            <button
              type="button"
              className="btn plain sm"
              disabled={stale !== undefined}
              title={stale}
              onClick={() => attempt(several.archiveOthers(group, pick.session))}
            >
              Archive the others
            </button>
          )}
          {mayDrive && (
            <button
              type="button"
              className="btn quiet sm"
              disabled={stale !== undefined}
              title={stale}
              onClick={() => attempt(several.takeBack(group))}
            >
              Pick another one
            </button>
          )}
        </div>
      )}
      <ul className="cmp-grid" aria-label="Sessions">
        {members.map((member, index) => (
          <MemberCard
            key={member.uri}
            host={host}
            group={group}
            model={group.members[index]?.model}
            member={member}
            pick={pick}
            stale={stale}
            mayDrive={mayDrive}
          />
        ))}
      </ul>
    </div>
  );
}

/** The command of the project's tests, for all of them at once. */
function TestBar({
  host,
  members,
  off,
}: {
  readonly host: PageHost;
  readonly members: readonly Member[];
  readonly off: string | undefined;
}) {
  const { work } = host.provider.status;
  const there = members.filter(({ state }) => state?.lifecycle === 'ready');
  const [known, setKnown] = useState('');
  const [typed, setTyped] = useState<string>();
  const { problem, attempt } = useAttempt();
  const first = there[0]?.uri;
  const isOffered = off === undefined;
  useEffect(() => {
    if (first === undefined || !isOffered) return;
    let isStopped = false;
    work.fetchTestCommand(first).then(
      (command) => !isStopped && setKnown(command ?? ''),
      () => {},
    );
    return () => {
      isStopped = true;
    };
  }, [work, first, isOffered]);
  const used = members.map(({ state }) => state?.tests?.command).find((command) => command !== undefined);
  const command = typed ?? (known || (used ?? ''));
  const ready = there.filter(({ state }) => !isTesting(state?.tests?.status));
  const run = (event: FormEvent) => {
    event.preventDefault();
    const line = command.trim();
    if (line === '' || ready.length === 0 || off !== undefined) return;
    attempt(
      Promise.allSettled(ready.map(({ uri }) => work.runTests(uri, line))).then((ended) => {
        const failed = ended.find((one) => one.status === 'rejected');
        if (failed) throw failed.reason;
      }),
    );
  };
  return (
    <form className="cmp-tests" onSubmit={run}>
      <label className="field">
        <FlaskConical size={15} aria-hidden />
        <input
          aria-label="Command of the tests"
          placeholder="Command of the tests, such as npm test"
          value={command}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          disabled={off !== undefined}
          onChange={(event) => setTyped(event.target.value)}
        />
      </label>
      <button
        type="submit"
        className="btn plain"
        disabled={off !== undefined || ready.length === 0 || command.trim() === ''}
        title={off}
      >
        <Play size={14} aria-hidden />
        Run in {ready.length === members.length ? 'all' : ready.length}
      </button>
      <Problem text={problem} />
    </form>
  );
}

export function isTesting(status: string | undefined): boolean {
  return status === 'waiting' || status === 'running';
}
