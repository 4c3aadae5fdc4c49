import { Fragment, type ReactNode } from 'react';
import { useFile } from './filesContext.js';
import { splitPaths } from './pathText.js';

interface FileLinkProps {
  /** A path, perhaps with a line. */
  readonly text: string;
  readonly children: ReactNode;
}

/** Opens the file that a text names, if there is one. Else it is what it was. */
export function FileLink({ text, children }: FileLinkProps) {
  const file = useFile(text);
  if (!file) return <>{children}</>;
  const line = file.line === undefined ? '' : `, line ${file.line}`;
  return (
    <button type="button" className="file-link" title={`Open ${file.found}${line}`} onClick={file.open}>
      {children}
    </button>
  );
}

export function PathCode({ text }: { readonly text: string }) {
  return (
    <FileLink text={text}>
      <code>{text}</code>
    </FileLink>
  );
}

/** Running text in which paths lead to their files. */
export function TextWithPaths({ text }: { readonly text: string }) {
  if (!text.includes('/')) return <>{text}</>;
  return splitPaths(text).map((piece, index) =>
    piece.isPath ? (
      <FileLink key={index} text={piece.text}>
        {piece.text}
      </FileLink>
    ) : (
      <Fragment key={index}>{piece.text}</Fragment>
    ),
  );
}
