import { Folder, GitBranch } from 'lucide-react';
import { useEffect, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { pathOf, placeIn } from '../conversation/relativePath.js';

interface FolderEntry {
  readonly name: string;
  readonly uri: string;
  readonly branch?: string | undefined;
}

interface FolderBrowserProps {
  readonly folder: string;
  /** The folders in a folder. */
  readonly browse: (uri: string) => Promise<readonly FolderEntry[]>;
  readonly onFolder: (uri: string) => void;
}

/** The folders inside a folder. */
export function FolderBrowser({ folder, browse, onFolder }: FolderBrowserProps) {
  const [entries, setEntries] = useState<readonly FolderEntry[]>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let wanted = true;
    setEntries(undefined);
    browse(folder).then(
      (found) => {
        if (!wanted) return;
        setEntries(found);
        setProblem(undefined);
      },
      (error: unknown) => wanted && setProblem(problemText(error)),
    );
    return () => {
      wanted = false;
    };
  }, [folder, browse]);
  return (
    <div className="browser">
      <div className="browse">
        <div className="mini clip">In {pathOf(folder)}</div>
        {problem && <p className="blank">{problem}</p>}
        {entries?.length === 0 && <p className="blank">There is no folder in here. The session works in this one.</p>}
        <ul aria-label={`Folders in ${pathOf(folder)}`}>
          {entries?.map(({ uri, name, branch }) => (
            <li key={uri}>
              <button type="button" className="fd" onClick={() => onFolder(uri)}>
                <Folder size={15} aria-hidden />
                <span className="clip">{name}</span>
                {branch && (
                  <span className="aux">
                    <GitBranch size={12} aria-hidden />
                    {branch}
                  </span>
                )}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

/** The path of the chosen folder, with a button for each part. */
export function FolderPath({
  folder,
  onFolder,
}: {
  readonly folder: string;
  readonly onFolder: (uri: string) => void;
}) {
  const names = pathOf(folder).split('/').filter(Boolean);
  const uriOf = (count: number) =>
    `file://${placeIn(folder)}/${names.slice(0, count).map(encodeURIComponent).join('/')}`;
  return (
    <nav className="crumb" aria-label="Folder">
      <button type="button" onClick={() => onFolder(uriOf(0))} aria-label="Root folder">
        /
      </button>
      {names.map((name, index) =>
        index === names.length - 1 ? (
          <b key={index}>{name}</b>
        ) : (
          <span key={index}>
            <button type="button" onClick={() => onFolder(uriOf(index + 1))}>
              {name}
            </button>
            /
          </span>
        ),
      )}
    </nav>
  );
}
