import { Archive } from 'lucide-react';

export type RowStatus = 'running' | 'needsInput' | 'error' | 'doneUnread' | 'done' | 'untitled' | 'archived';

const NAMES: Readonly<Record<RowStatus, string>> = {
  running: 'Running',
  needsInput: 'Needs input',
  error: 'Error',
  doneUnread: 'Done, unread',
  done: 'Done',
  untitled: 'Not started',
  archived: 'Archived',
};

/** A state has a colour and a shape, for users who can't distinguish the colours. */
export function StatusGlyph({ status, className }: { readonly status: RowStatus; readonly className?: string }) {
  if (status === 'archived') return <Archive className={className} size={15} role="img" aria-label={NAMES.archived} />;
  return (
    <svg
      className={className}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      role="img"
      aria-label={NAMES[status]}
    >
      {SHAPES[status]}
    </svg>
  );
}

const SHAPES = {
  running: (
    <>
      <circle cx="8" cy="8" r="5.75" stroke="var(--run)" strokeOpacity=".24" strokeWidth="2" />
      <path
        className="spin"
        d="M8 2.25A5.75 5.75 0 0 1 13.75 8"
        stroke="var(--run)"
        strokeWidth="2"
        strokeLinecap="round"
      />
    </>
  ),
  needsInput: (
    <>
      <circle cx="8" cy="8" r="7" fill="var(--needs-solid)" />
      <path
        d="M6.1 6.2a1.95 1.95 0 1 1 2.7 1.8c-.5.22-.8.55-.8 1.1v.15"
        stroke="var(--on-needs)"
        strokeWidth="1.5"
        strokeLinecap="round"
      />
      <circle cx="8" cy="11.35" r=".95" fill="var(--on-needs)" />
    </>
  ),
  error: (
    <>
      <circle cx="8" cy="8" r="6.1" stroke="var(--error)" strokeWidth="1.7" />
      <path d="m6 6 4 4m0-4-4 4" stroke="var(--error)" strokeWidth="1.6" strokeLinecap="round" />
    </>
  ),
  doneUnread: (
    <>
      <circle cx="8" cy="8" r="7" fill="var(--done)" />
      <path
        d="m5.2 8.2 1.9 1.9 3.7-4"
        stroke="var(--canvas)"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  done: (
    <path
      d="m4 8.4 2.7 2.7L12 5.2"
      stroke="var(--text-3)"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  ),
  untitled: (
    <circle
      cx="8"
      cy="8"
      r="5.75"
      stroke="var(--text-3)"
      strokeWidth="1.5"
      strokeDasharray="1.6 2.4"
      strokeLinecap="round"
    />
  ),
} as const;
