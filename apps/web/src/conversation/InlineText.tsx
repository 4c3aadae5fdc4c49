import { Fragment } from 'react';

/** A line of an agent: text with `code`. No other markdown is rendered in one line. */
export function InlineText({ text }: { readonly text: string }) {
  return text
    .split(/(`[^`\n]+`)/)
    .map((piece, index) =>
      piece.length > 2 && piece.startsWith('`') && piece.endsWith('`') ? (
        <code key={index}>{piece.slice(1, -1)}</code>
      ) : (
        <Fragment key={index}>{piece}</Fragment>
      ),
    );
}
