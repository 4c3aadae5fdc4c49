import type { FolderBrowser as Folders } from '@agenthost/sessions';
import { useCallback, useState } from 'react';
import { CloseButton } from '../controls/CloseButton.js';
import { Dialog } from '../overlays/Dialog.js';
import { FolderBrowser, FolderPath } from './FolderBrowser.js';

interface FolderDialogProps {
  readonly folders: Folders;
  /** To begin with. */
  readonly folder: string;
  readonly onFolder: (uri: string) => void;
  readonly onClose: () => void;
}

/** Looks around in the host's folders. */
export function FolderDialog({ folders, folder, onFolder, onClose }: FolderDialogProps) {
  const [at, setAt] = useState(folder);
  const browse = useCallback((uri: string) => folders.list(uri), [folders]);
  const choose = () => {
    onFolder(at);
    onClose();
  };
  return (
    <Dialog label="Choose a folder" className="ask-dialog folder-dialog" onClose={onClose} focusSelf>
      <div className="page-h">
        <h2 className="grow">Choose a folder</h2>
        <CloseButton onClose={onClose} />
      </div>
      <FolderPath folder={at} onFolder={setAt} />
      <FolderBrowser folder={at} browse={browse} onFolder={setAt} />
      <div className="acts">
        <button type="button" className="btn quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="button" className="btn primary" onClick={choose}>
          Use this folder
        </button>
      </div>
    </Dialog>
  );
}
