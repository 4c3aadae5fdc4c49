import type { ContentRef, ToolCallState } from '@agenthost/protocol';
import { ContentPart } from './ContentPart.js';
import { lineText } from './ToolLine.js';

/** The images, audio and files of a call's result. Text is shown as its output. */
export function ToolContents({ call }: { readonly call: ToolCallState }) {
  return (
    <div className="media-row">
      {contentsOf(call).map((ref) => (
        <ContentPart key={ref.uri} content={ref} label={lineText(call)} />
      ))}
    </div>
  );
}

export function hasContents(call: ToolCallState): boolean {
  return contentsOf(call).length > 0;
}

function contentsOf(call: ToolCallState): readonly ContentRef[] {
  const content = call.status === 'completed' ? (call.result.content ?? []) : [];
  const refs = content.flatMap((piece) => (piece.type === 'contentRef' ? [piece.ref] : []));
  return refs.filter(({ mimeType }) => !mimeType?.startsWith('text/'));
}
