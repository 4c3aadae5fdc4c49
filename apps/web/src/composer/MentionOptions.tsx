import { File, Folder } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { MentionList } from './useMentions.js';

/** The files that match what is written after an @, above the field. */
export function MentionOptions({
  id,
  matches,
  selected,
  choose,
}: Pick<MentionList, 'id' | 'matches' | 'selected' | 'choose'>) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the keys have moved
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  return (
    <>
      <span className="sr" role="status">
        {matches.length > 0 && (matches.length === 1 ? '1 file' : `${matches.length} files`)}
      </span>
      {matches.length > 0 && (
        <div className="slash" id={id} role="listbox" aria-label="Files" ref={list}>
          {matches.map((file, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={`${file.type} ${file.path}`}
              className="pal-i mention"
              id={`${id}${index}`}
              role="option"
              aria-selected={index === selected}
              tabIndex={-1}
              title={file.path}
              // The field keeps the focus, and with it a phone's keyboard.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(file)}
            >
              {file.type === 'folder' ? <Folder size={14} aria-hidden /> : <File size={14} aria-hidden />}
              <span className="slash-n clip">
                {file.path.slice(file.path.lastIndexOf('/') + 1)}
                {file.type === 'folder' && '/'}
              </span>
              <span className="aux clip grow">{file.path.slice(0, Math.max(0, file.path.lastIndexOf('/')))}</span>
            </div>
          ))}
        </div>
      )}
    </>
  );
}
