import type { FolderBrowser as Folders } from '@agenthost/sessions';
import { Folder, FolderOpen } from 'lucide-react';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { problemText } from '../app/problemText.js';
import { Problem } from '../controls/Problem.js';
import { homeOf, lastName, pathOf, placeIn, shortPath } from '../conversation/relativePath.js';
import { FolderDialog } from './FolderDialog.js';
import { type FolderOption, typedFolder, useFolderCompletion } from './useFolderCompletion.js';

const MOST_RECENT = 5;

interface FolderFieldProps {
  readonly folders: Folders;
  readonly folder: string | undefined;
  readonly onFolder: (uri: string) => void;
}

/** The project folder: its path, which can be typed and completed; recent folders; a dialog to look around. */
export function FolderField({ folders, folder, onFolder }: FolderFieldProps) {
  const id = useId();
  const home = homeOf(folders.home);
  const shown = folder === undefined ? '' : shortPath(folder, home);
  const [typed, setTyped] = useState<string>();
  const [selected, setSelected] = useState(0);
  const [isBrowsing, setBrowsing] = useState(false);
  const problem = useFolderProblem(folders, folder);
  const text = typed ?? shown;
  const uriOf = (path: string) => typedFolder(path, folder, home);
  const options = useFolderCompletion(folders, text, uriOf, typed !== undefined);
  const isOpen = typed !== undefined && options.length > 0;
  const isPath = text === '' || uriOf(text) !== undefined;
  const choose = (uri: string) => {
    setTyped(undefined);
    onFolder(uri);
  };
  const complete = ({ uri }: FolderOption) => {
    setTyped(`${shortPath(uri, home)}/`);
    setSelected(0);
    onFolder(uri);
  };
  const commit = () => {
    const uri = uriOf(text);
    if (typed === undefined || uri === undefined) return;
    choose(uri);
  };
  const keyDown = (event: KeyboardEvent) => {
    const option = options[Math.min(selected, options.length - 1)];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (isOpen && step !== undefined) setSelected((selected + step + options.length) % options.length);
    else if (isOpen && option && event.key === 'Tab' && !event.shiftKey) complete(option);
    else if (event.key === 'Enter') commit();
    else if (event.key === 'Escape' && typed !== undefined) setTyped(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const place = folder === undefined ? '' : placeIn(folder);
  const recent = folders.recent().slice(0, MOST_RECENT);
  return (
    <section className="sect">
      <h2 className="sect-h" id={`${id}label`}>
        Folder
      </h2>
      <div className="path">
        <FolderOpen size={16} aria-hidden />
        <input
          role="combobox"
          aria-labelledby={`${id}label`}
          aria-expanded={isOpen}
          aria-controls={`${id}list`}
          aria-autocomplete="list"
          aria-activedescendant={isOpen ? `${id}option${Math.min(selected, options.length - 1)}` : undefined}
          aria-invalid={!isPath || problem !== undefined}
          aria-describedby={`${id}problem`}
          autoComplete="off"
          spellCheck={false}
          value={text}
          placeholder="/path/to/a/folder"
          onChange={(event) => {
            setTyped(event.target.value);
            setSelected(0);
          }}
          onBlur={commit}
          onKeyDown={keyDown}
        />
        {place !== '' && <span className="aux">on {decodeURIComponent(place)}</span>}
        <button type="button" className="btn plain sm" onClick={() => setBrowsing(true)}>
          Browse…
        </button>
        <div className="path-options" id={`${id}list`} role="listbox" aria-label="Folders" hidden={!isOpen}>
          {options.map((option, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={option.uri}
              id={`${id}option${index}`}
              className="pal-i"
              role="option"
              aria-selected={index === Math.min(selected, options.length - 1)}
              tabIndex={-1}
              // The field keeps the focus, and with it a phone's keyboard.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => complete(option)}
            >
              <Folder size={14} aria-hidden />
              <span className="clip">{option.name}</span>
            </div>
          ))}
        </div>
      </div>
      <div id={`${id}problem`}>
        <Problem text={isPath ? problem : 'Type a whole path: it begins with / or ~.'} />
      </div>
      {recent.length > 0 && (
        <div className="recs">
          <span>Recent</span>
          <ul aria-label="Recent folders">
            {recent.map((uri) => (
              <li key={uri}>
                <button
                  type="button"
                  className="rec"
                  aria-pressed={uri === folder}
                  title={pathOf(uri)}
                  onClick={() => choose(uri)}
                >
                  <Folder size={13} aria-hidden />
                  <span className="clip">{lastName(uri)}</span>
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
      {isBrowsing && (
        <FolderDialog
          folders={folders}
          folder={folder ?? folders.home ?? 'file:///'}
          onFolder={choose}
          onClose={() => setBrowsing(false)}
        />
      )}
    </section>
  );
}

/** What is wrong with the chosen folder: it does not exist, or can't be read. */
function useFolderProblem(folders: Folders, folder: string | undefined): string | undefined {
  const [problem, setProblem] = useState<{ readonly folder: string; readonly text: string }>();
  useEffect(() => {
    if (folder === undefined) return;
    const stopped = new AbortController();
    folders.list(folder, stopped.signal).then(
      () => !stopped.signal.aborted && setProblem(undefined),
      (error: unknown) => !stopped.signal.aborted && setProblem({ folder, text: folderWords(error) }),
    );
    return () => stopped.abort();
  }, [folders, folder]);
  return problem?.folder === folder ? problem?.text : undefined;
}

/** The host names the folder by its address, which the field shows already. */
function folderWords(error: unknown): string {
  const text = problemText(error);
  if (text.endsWith(' does not exist.')) return "This folder doesn't exist. Type another path, or find it with Browse.";
  if (text.endsWith(' is not a directory.'))
    return 'This is not a folder. Type the path of one, or find it with Browse.';
  return /permission/i.test(text) ? "The host can't read this folder. Choose another one." : text;
}
