import type { ChangedFile } from '@agenthost/protocol';
import { ArrowLeft, AtSign, File, FileDiff, Folder, Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useNarrow } from '../app/useNarrow.js';
import { CloseButton } from '../controls/CloseButton.js';
import { CopyButton } from '../controls/CopyButton.js';
import { Dialog } from '../overlays/Dialog.js';
import { FileStatus } from '../review/FileList.js';
import { FilePreview } from './FilePreview.js';
import { FolderTree } from './FolderTree.js';
import type { FilePlace } from './pathText.js';
import type { SessionFolder } from './useChatFiles.js';
import { useFoundFiles } from './useFoundFiles.js';
import '../review/css/review.css';
import './files.css';

interface FolderPanelProps {
  readonly folder: SessionFolder;
  readonly name: string;
  readonly shown: Partial<FilePlace>;
  readonly onOpen: (place?: FilePlace) => void;
  readonly onClose: () => void;
  /** Shows the changes of a file. Missing where there is no review. */
  readonly onChanges: ((path: string) => void) | undefined;
  /** Names a file in the message. Missing where nothing can be written. */
  readonly onMention: ((path: string) => void) | undefined;
}

const NONE: ReadonlyMap<string, ChangedFile> = new Map();

/** The files of a session's folder beside one that is open. On a phone one or the other. */
export function FolderPanel({ folder, name, shown, onOpen, onClose, onChanges, onMention }: FolderPanelProps) {
  const isNarrow = useNarrow();
  const changed = useChanged(folder);
  const { path: opened, line } = shown;
  const path = opened?.endsWith('/') ? undefined : opened;
  const status = path === undefined ? undefined : changed.get(path);
  const open = (next: string) => onOpen({ path: next });
  const files = (
    <nav className="fp-files" aria-label="Files">
      <FilesOf folder={folder} current={opened} changed={changed} onOpen={open} />
    </nav>
  );
  return (
    <Dialog
      label={path === undefined ? `Files in ${name}` : `File ${path}`}
      className="files-panel"
      onClose={onClose}
      focusSelf
    >
      <div className="tray-h fp-h">
        {isNarrow && path !== undefined && (
          <button type="button" className="ib" aria-label="All files" onClick={() => onOpen()}>
            <ArrowLeft size={18} aria-hidden />
          </button>
        )}
        {path === undefined ? (
          <h2 className="clip">{name}</h2>
        ) : (
          <h2 className="fp-path" title={path}>
            <span className="dim clip">{path.slice(0, path.lastIndexOf('/') + 1)}</span>
            <span className="clip">{path.slice(path.lastIndexOf('/') + 1)}</span>
          </h2>
        )}
        {status && <FileStatus status={status.status} />}
        <span className="grow" />
        {path !== undefined && (
          <>
            {status && onChanges && (
              <button type="button" className="btn plain sm" onClick={() => onChanges(path)}>
                <FileDiff size={14} aria-hidden />
                {isNarrow ? 'Changes' : 'Open changes'}
              </button>
            )}
            {onMention && (
              <button
                type="button"
                className="ib"
                aria-label="Mention in the message"
                title="Mention in the message"
                onClick={() => onMention(path)}
              >
                <AtSign size={16} aria-hidden />
              </button>
            )}
            <CopyButton text={path} label="Copy path" />
          </>
        )}
        <CloseButton onClose={onClose} />
      </div>
      <div className="fp">
        {(!isNarrow || path === undefined) && files}
        {path !== undefined && (
          <div className="fp-file">
            <FilePreview key={`${path}:${line}`} folder={folder} place={{ path, line }} />
          </div>
        )}
        {!isNarrow && path === undefined && (
          <div className="fp-file">
            <div className="fp-say">Choose a file to read it here.</div>
          </div>
        )}
      </div>
    </Dialog>
  );
}

const MOST_FOUND = 100;

function FilesOf({
  folder,
  current,
  changed,
  onOpen,
}: {
  readonly folder: SessionFolder;
  readonly current: string | undefined;
  readonly changed: ReadonlyMap<string, ChangedFile>;
  readonly onOpen: (path: string) => void;
}) {
  const [query, setQuery] = useState('');
  const wanted = query.trim() === '' ? undefined : query.trim();
  const { found, problem } = useFoundFiles(folder, wanted, MOST_FOUND);
  return (
    <>
      <div className="side-tools">
        <label className="field">
          <Search size={15} aria-hidden />
          <input
            placeholder="Find a file"
            aria-label="Find a file"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Escape' || query === '') return;
              event.preventDefault();
              event.stopPropagation();
              setQuery('');
            }}
          />
        </label>
      </div>
      <div className="list">
        {wanted === undefined && <FolderTree folder={folder} current={current} changed={changed} onOpen={onOpen} />}
        {wanted !== undefined && problem !== undefined && <p className="blank">{problem}</p>}
        {wanted !== undefined && found && (
          <ul aria-label="Found files">
            {found.result.files.map(({ path, type }) => (
              <li key={path}>
                <button
                  type="button"
                  className="ft-r"
                  disabled={type === 'folder'}
                  aria-current={path === current}
                  title={path}
                  onClick={() => onOpen(path)}
                >
                  {type === 'folder' ? <Folder size={14} aria-hidden /> : <File size={14} aria-hidden />}
                  <span className="clip">{path.slice(path.lastIndexOf('/') + 1)}</span>
                  <span className="aux clip grow">{path.slice(0, Math.max(0, path.lastIndexOf('/')))}</span>
                  {changed.has(path) && <FileStatus status={changed.get(path)?.status ?? 'M'} />}
                </button>
              </li>
            ))}
          </ul>
        )}
        {wanted !== undefined && found?.result.files.length === 0 && (
          <p className="blank">No file matches “{wanted}”.</p>
        )}
      </div>
    </>
  );
}

/** What differs from before the first turn, by path. */
function useChanged(folder: SessionFolder): ReadonlyMap<string, ChangedFile> {
  const [changed, setChanged] = useState(NONE);
  useEffect(() => {
    let isShown = true;
    const look = () => {
      void folder.changes().then((files) => {
        if (isShown) setChanged(new Map(files.map((file) => [file.path, file])));
      });
    };
    look();
    const watching = folder.watch(look);
    return () => {
      isShown = false;
      watching.dispose();
    };
  }, [folder]);
  return changed;
}
