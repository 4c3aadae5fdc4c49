import type { ChangedFile } from '@agenthost/protocol';
import { Check, MessageSquare } from 'lucide-react';
import { type Folder, fileName, foldersOf, treeOf } from './folders.js';

export const STATUS: Readonly<Record<ChangedFile['status'], string>> = {
  M: 'Changed',
  A: 'Added',
  D: 'Deleted',
  R: 'Renamed',
};

interface FileListProps {
  readonly files: readonly ChangedFile[];
  readonly current: string | undefined;
  readonly asTree: boolean;
  readonly isViewed: (file: ChangedFile) => boolean;
  /** How many open threads a file has. */
  readonly commentsOn: (path: string) => number;
  readonly onOpen: (path: string) => void;
}

/** The files that differ, by folder. */
export function FileList({ files, current, asTree, isViewed, commentsOn, onOpen }: FileListProps) {
  const folders = asTree ? treeOf(files) : foldersOf(files);
  return folders.map((folder: Folder) => (
    <section
      key={`${folder.depth} ${folder.path}`}
      className="rv-dir"
      style={{ paddingInlineStart: folder.depth * 12 }}
    >
      <h2 className="mini clip" title={folder.path}>
        {folder.label}
      </h2>
      <ul>
        {folder.files.map((file) => {
          const viewed = isViewed(file);
          const comments = commentsOn(file.path);
          return (
            <li key={file.path}>
              <button
                type="button"
                className={viewed ? 'fl seen' : 'fl'}
                aria-current={file.path === current}
                title={file.path}
                onClick={() => onOpen(file.path)}
              >
                <FileStatus status={file.status} />
                <span className="clip grow">
                  {file.oldPath !== undefined && fileName(file.oldPath) !== fileName(file.path) && (
                    <s>{fileName(file.oldPath)}</s>
                  )}{' '}
                  {fileName(file.path)}
                </span>
                {comments > 0 && (
                  <span
                    className="cmn num"
                    role="img"
                    aria-label={comments === 1 ? '1 comment' : `${comments} comments`}
                  >
                    <MessageSquare size={12} aria-hidden />
                    {comments}
                  </span>
                )}
                <FileDelta file={file} />
                <span className="vw" {...(viewed && { role: 'img', 'aria-label': 'Viewed' })}>
                  {viewed && <Check size={14} aria-hidden />}
                </span>
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  ));
}

export function FileStatus({ status }: { readonly status: ChangedFile['status'] }) {
  return (
    <span className={`fst ${status}`} role="img" title={STATUS[status]} aria-label={STATUS[status]}>
      {status}
    </span>
  );
}

export function FileDelta({ file: { additions, deletions, isBinary, kind } }: { readonly file: ChangedFile }) {
  if (isBinary || additions === undefined) return <span className="delta dim">{kind ?? 'binary'}</span>;
  return <LineDelta additions={additions} deletions={deletions ?? 0} />;
}

/** Both numbers, also where one is 0: columns of a list stay in line. */
export function LineDelta({ additions, deletions }: { readonly additions: number; readonly deletions: number }) {
  return (
    <span className="delta num" role="img" aria-label={`${additions} lines added, ${deletions} removed`}>
      <span className="a">+{additions}</span>
      <span className="d">−{deletions}</span>
    </span>
  );
}
