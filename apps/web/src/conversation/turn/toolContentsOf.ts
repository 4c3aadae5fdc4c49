import type { ContentRef, ToolCallState } from '@agenthost/protocol';

/** The images, audio and files of a call's result. Text is shown as its output. */
export function contentsOf(call: ToolCallState): readonly ContentRef[] {
  const content = call.status === 'completed' ? (call.result.content ?? []) : [];
  const refs = content.flatMap((piece) => (piece.type === 'contentRef' ? [piece.ref] : []));
  return refs.filter(({ mimeType }) => !mimeType?.startsWith('text/'));
}

export function hasContents(call: ToolCallState): boolean {
  return contentsOf(call).length > 0;
}
