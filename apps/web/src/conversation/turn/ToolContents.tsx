import type { ToolCallState } from '@agenthost/protocol';
import { ContentPart } from './ContentPart.js';
import { lineText } from './ToolLine.js';
import { contentsOf } from './toolContentsOf.js';

/** The images, audio and files of a call's result. */
export function ToolContents({ call }: { readonly call: ToolCallState }) {
  return (
    <div className="media-row">
      {contentsOf(call).map((ref) => (
        <ContentPart key={ref.uri} content={ref} label={lineText(call)} />
      ))}
    </div>
  );
}
