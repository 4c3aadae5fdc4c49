import type { FileEditResultContent } from '@agenthost/protocol';
import { ChevronDown, ChevronUp, FileDiff } from 'lucide-react';
import { useState } from 'react';
import { DiffView } from '../../diff/DiffView.js';
import { FileLink } from '../../files/FileLink.js';
import { useChat } from '../chatContext.js';
import { relativePath } from '../relativePath.js';

export function DiffCard({ edit }: { readonly edit: FileEditResultContent }) {
  const { folder, showChanges } = useChat();
  const [open, setOpen] = useState(edit.insertions + edit.deletions <= 200);
  const path = relativePath(edit.uri, folder);
  return (
    <figure className="card">
      <figcaption className="card-h">
        <FileDiff size={16} aria-hidden />
        <span className="mono clip grow" title={path}>
          <FileLink text={path}>{path}</FileLink>
        </span>
        <Delta insertions={edit.insertions} deletions={edit.deletions} />
        {showChanges && (
          <button type="button" className="btn quiet sm wide" onClick={showChanges}>
            Open all changes
          </button>
        )}
        {edit.diff !== undefined && (
          <button
            type="button"
            className="ib sm"
            aria-label={open ? 'Collapse' : 'Expand'}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {open ? <ChevronUp size={14} aria-hidden /> : <ChevronDown size={14} aria-hidden />}
          </button>
        )}
      </figcaption>
      {open && edit.diff !== undefined && <DiffView diff={edit.diff} path={path} />}
    </figure>
  );
}

export function Delta({ insertions, deletions }: { readonly insertions: number; readonly deletions: number }) {
  if (insertions === 0 && deletions === 0) return null;
  return (
    <span className="delta num" role="img" aria-label={`${insertions} lines added, ${deletions} removed`}>
      <span className="a">+{insertions}</span>
      <span className="d">−{deletions}</span>
    </span>
  );
}
