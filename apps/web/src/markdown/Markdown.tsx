import { memo, useReducer, useRef } from 'react';
import { markdownNode } from './MarkdownNodes.js';
import { type MarkdownBlock, MarkdownBlocks } from './markdownBlocks.js';
import { parseInThread } from './markdownThread.js';

/** A message's text. While it grows only its last blocks are rendered again. */
export const Markdown = memo(function Markdown({
  text,
  streaming = false,
}: {
  readonly text: string;
  readonly streaming?: boolean;
}) {
  const blocks = useRef<MarkdownBlocks>(null);
  const [, renderAgain] = useReducer((count: number) => count + 1, 0);
  blocks.current ??= new MarkdownBlocks(parseInThread, renderAgain);
  return (
    <div className={streaming ? 'prose streaming' : 'prose'}>
      {blocks.current.update(text).map((block) => (
        <Block key={block.at} block={block} />
      ))}
    </div>
  );
});

const Block = memo(function Block({ block }: { readonly block: MarkdownBlock }) {
  return <>{markdownNode(block.token)}</>;
});
