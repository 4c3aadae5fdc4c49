import { useEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { problemText } from '../app/problemText.js';
import { bytes } from '../conversation/times.js';
import { useHighlighted } from '../markdown/useHighlighted.js';
import type { FilePlace } from './pathText.js';
import type { SessionFolder } from './useChatFiles.js';
import { type FilePages, useFilePages } from './useFilePages.js';

/** More of a line is not shown. */
const LONGEST_LINE = 5_000;
const LINE_HEIGHT = 20;

interface FilePreviewProps {
  readonly folder: SessionFolder;
  readonly place: FilePlace;
}

/** What is in a file: its text with numbers, a picture, or what it is. */
export function FilePreview({ folder, place }: FilePreviewProps) {
  const pages = useFilePages(folder, place);
  const { part, problem } = pages;
  if (problem !== undefined && !part)
    return (
      <div className="fp-say bad" role="alert">
        {problem}
      </div>
    );
  if (!part) return <div className="fp-say" aria-busy="true" />;
  const { file } = part;
  if (file.kind === 'image')
    return <FileImage folder={folder} path={file.path} size={file.size} type={file.mimeType} />;
  if (file.kind === 'binary') return <div className="fp-say">A binary file, {bytes(file.size)}.</div>;
  if (file.size === 0) return <div className="fp-say">This file is empty.</div>;
  return <FileText key={file.revision} pages={pages} place={place} />;
}

function FileText({ pages, place }: { readonly pages: FilePages; readonly place: FilePlace }) {
  const { part, problem, more, fromBeginning, isFromBeginning } = pages;
  const { file, text = '', firstLine = 1, nextOffset } = part ?? {};
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useRef<VirtualizerHandle>(null);
  const lines = useMemo(() => linesOf(text), [text]);
  const longest = useMemo(() => lines.reduce((most, { length }) => Math.max(most, length), 0), [lines]);
  const colours = useHighlighted(text, languageOf(place.path));
  const { line } = place;
  const at = line !== undefined && line - firstLine < lines.length ? line - firstLine : -1;
  useEffect(() => {
    // Whoever reads on from the beginning stays where they are when the line appears.
    if (at >= 0 && !isFromBeginning) virtualizer.current?.scrollToIndex(at, { align: 'center' });
  }, [at, isFromBeginning]);
  return (
    <>
      {firstLine > 1 && (
        <div className="fp-say">
          From line {firstLine.toLocaleString('en')}.{' '}
          <button type="button" className="btn quiet sm" onClick={fromBeginning}>
            Show from the beginning
          </button>
        </div>
      )}
      {problem !== undefined && (
        <div className="fp-say bad" role="alert">
          {problem}
        </div>
      )}
      {file?.isDamaged && <div className="fp-say">Not all of it is UTF-8: what can't be read is shown as �.</div>}
      <div ref={scroller} className="fp-text" tabIndex={0} role="region" aria-label={`Text of ${place.path}`}>
        <div style={{ minWidth: `calc(${Math.min(longest, LONGEST_LINE)}ch + 88px)` }}>
          <Virtualizer
            ref={virtualizer}
            scrollRef={scroller}
            itemSize={LINE_HEIGHT}
            data={{ length: lines.length } as ArrayLike<unknown>}
          >
            {(_, index) => {
              const number = firstLine + index;
              return (
                <div
                  key={number}
                  className={index === at ? 'fp-l at' : 'fp-l'}
                  {...(index === at && { 'aria-current': 'true' })}
                >
                  <span className="fp-n num">{number}</span>
                  <span className="fp-c">
                    {colours?.[index]?.map((span, place) => (
                      <span key={place} style={span.color ? { color: span.color } : undefined}>
                        {span.text}
                      </span>
                    )) ?? cut(lines[index] ?? '')}
                  </span>
                </div>
              );
            }}
          </Virtualizer>
        </div>
        {nextOffset !== undefined && file && (
          <div className="fp-say">
            {bytes(nextOffset)} of {bytes(file.size)}.{' '}
            <button type="button" className="btn quiet sm" onClick={more}>
              Show more
            </button>
          </div>
        )}
      </div>
    </>
  );
}

/** A larger picture is not loaded. */
const MOST_IMAGE = 16 * 1024 * 1024;

function FileImage({
  folder,
  path,
  size,
  type,
}: {
  readonly folder: SessionFolder;
  readonly path: string;
  readonly size: number;
  readonly type: string | undefined;
}) {
  const [url, setUrl] = useState<string>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (size > MOST_IMAGE) return;
    let [made, isShown] = [undefined as string | undefined, true];
    wholeFile(folder, path).then(
      (pieces) => {
        if (!isShown) return;
        made = URL.createObjectURL(new Blob(pieces, { type: type ?? 'image/png' }));
        setUrl(made);
      },
      (error: unknown) => isShown && setProblem(problemText(error)),
    );
    return () => {
      isShown = false;
      if (made) URL.revokeObjectURL(made);
    };
  }, [folder, path, size, type]);
  if (size > MOST_IMAGE) return <div className="fp-say">An image, {bytes(size)}: too large to be shown.</div>;
  if (problem !== undefined) return <div className="fp-say bad">{problem}</div>;
  return (
    <div className="fp-image" tabIndex={0} role="region" aria-label={`Picture ${path}`}>
      {url && <img src={url} alt={path} />}
    </div>
  );
}

const PIECE = 1024 * 1024;

async function wholeFile(folder: SessionFolder, path: string): Promise<BlobPart[]> {
  const pieces: BlobPart[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: Awaited<ReturnType<SessionFolder['read']>> = await folder.read({
      path,
      offset,
      length: PIECE,
      asBytes: true,
    });
    pieces.push(Uint8Array.from(atob(page.data ?? ''), (one) => one.charCodeAt(0)));
    offset = page.nextOffset;
  }
  return pieces;
}

function linesOf(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  if (lines.length > 1 && lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function cut(line: string): string {
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
}

/** The ending of the name, or the name where there is none, as of a Makefile. */
function languageOf(path: string): string | undefined {
  return path
    .slice(path.lastIndexOf('/') + 1)
    .split('.')
    .at(-1);
}
