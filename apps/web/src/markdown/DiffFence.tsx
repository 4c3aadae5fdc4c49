import { CopyButton } from '../controls/CopyButton.js';

/** More lines are plain code. */
export const MOST_DIFF_LINES = 2_000;

/** Code in the language "diff", with added and removed lines in their colours. */
export function DiffFence({ code }: { readonly code: string }) {
  return (
    <figure className="card codeblock">
      <figcaption className="card-h">
        <span className="meta grow">diff</span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      <div className="diff fragment" tabIndex={0} role="region" aria-label="Code, diff">
        {code.split('\n').map((line, index) => {
          const mark = markOf(line);
          return (
            <div key={index} className={mark === '+' ? 'l add' : mark === '−' ? 'l del' : 'l'}>
              <b>{mark}</b>
              <span>{mark === '' ? line : line.slice(1)}</span>
            </div>
          );
        })}
      </div>
    </figure>
  );
}

function markOf(line: string): '+' | '−' | '' {
  if (line.startsWith('+') && !line.startsWith('+++ ')) return '+';
  return line.startsWith('-') && !line.startsWith('--- ') ? '−' : '';
}
