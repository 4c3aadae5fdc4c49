import type { ChangedFile } from '@agenthost/protocol';
import { ChevronsUpDown } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { CloseButton } from '../controls/CloseButton.js';
import { Dialog } from '../overlays/Dialog.js';
import { FileDelta, FileStatus } from './FileList.js';
import { fileName, folderName } from './folders.js';

interface PhoneFileProps {
  readonly file: ChangedFile;
  readonly index: number;
  readonly total: number;
  readonly isViewed: boolean;
  readonly onViewed: (isViewed: boolean) => void;
  readonly list: (onOpen: (path: string) => void) => ReactNode;
  readonly onFile: (path: string) => void;
}

/** The file that is shown; a tap opens the list of all. */
export function PhoneFile({ file, index, total, isViewed, onViewed, list, onFile }: PhoneFileProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="rp-file">
      <button type="button" className="rp-pick" aria-haspopup="dialog" title={file.path} onClick={() => setOpen(true)}>
        <FileStatus status={file.status} />
        <span className="grow">
          <b className="clip">{fileName(file.path)}</b>
          <small className="clip">
            {index + 1} of {total}, {folderName(file.path).slice(0, -1) || 'top folder'}
          </small>
        </span>
        <FileDelta file={file} />
        <ChevronsUpDown size={16} aria-hidden />
      </button>
      <label className="vbox">
        <input
          type="checkbox"
          aria-label="Viewed"
          checked={isViewed}
          onChange={(event) => onViewed(event.target.checked)}
        />
      </label>
      {isOpen && (
        <Dialog label="Changed files" className="rp-sheet" onClose={() => setOpen(false)} focusSelf>
          <div className="tray-h">
            <h2>Changed files</h2>
            <span className="grow" />
            <CloseButton onClose={() => setOpen(false)} />
          </div>
          <div className="list" tabIndex={0} role="region" aria-label="Files">
            {list((path) => {
              setOpen(false);
              onFile(path);
            })}
          </div>
        </Dialog>
      )}
    </div>
  );
}
