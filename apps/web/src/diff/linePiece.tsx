import { Fragment } from 'react';
import type { LinePiece } from './linePieces.js';

export function piece({ text, marked, color }: LinePiece, index: number) {
  const style = color === undefined ? undefined : { color };
  if (marked)
    return (
      <mark key={index} style={style}>
        {text}
      </mark>
    );
  return style ? (
    <span key={index} style={style}>
      {text}
    </span>
  ) : (
    <Fragment key={index}>{text}</Fragment>
  );
}
