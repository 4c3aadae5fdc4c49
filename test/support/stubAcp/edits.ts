import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { current, permission, text, update } from './conversation.ts';

/** An edit, as agents report it: with whatever they call the old and the new text. */
export interface StubEdit {
  readonly path: string;
  readonly told: readonly { readonly oldText?: string | null; readonly newText: string }[];
  /** What the file has afterwards; nothing is written without it. */
  readonly content?: string;
  /** The file has what was told in place of the old text. */
  readonly applies?: boolean;
  /** Agents announce an edit before they make it, ask about it, or tell of it when it is made. */
  readonly when: 'asked' | 'announced' | 'afterwards';
}

export async function editTool({ path, told, content, applies, when }: StubEdit): Promise<void> {
  const file = join(current.cwd, path);
  const call = {
    toolCallId: randomUUID(),
    title: 'edit',
    kind: 'edit',
    locations: [{ path: file }],
    content: told.map((diff) => ({ type: 'diff', path: file, ...diff })),
  };
  if (when !== 'afterwards') update('tool_call', { ...call, status: 'pending' });
  if (when === 'asked' && (await permission(call)) !== 'yes') return text('Not edited.');
  if (content !== undefined) writeFileSync(file, content);
  for (const { oldText, newText } of applies ? told : []) {
    writeFileSync(file, readFileSync(file, 'utf8').replace(oldText ?? '', newText));
  }
  update(when === 'afterwards' ? 'tool_call' : 'tool_call_update', { ...call, status: 'completed' });
  text('Edited.');
}
