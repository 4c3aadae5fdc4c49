import { memo, useRef } from 'react';
import { markdownNode } from './MarkdownNodes.js';
import { type MarkdownBlock, MarkdownBlocks } from './markdownBlocks.js';

/** A message's text. While it grows only its last blocks are rendered again. */
export const Markdown = memo(function Markdown({
  text,
  streaming = false,
}: {
  readonly text: string;
  readonly streaming?: boolean;
}) {
  const blocks = useRef<MarkdownBlocks>(null);
  blocks.current ??= new MarkdownBlocks();
  return (
    <div className="prose">
      {blocks.current.update(text).map((block) => (
        <Block key={block.at} block={block} />
      ))}
      {streaming && <span className="caret" aria-hidden="true" />}
    </div>
  );
});

const Block = memo(function Block({ block }: { readonly block: MarkdownBlock }) {
  return markdownNode(block.token);
});
