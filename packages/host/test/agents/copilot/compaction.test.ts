import { describe, expect, it } from 'vitest';
import { checkpointOf, compactionNotice } from '../../../src/agents/copilot/compaction.js';

const SUMMARY = `<overview>
What it is about: \`a < b\`, <div>.
</overview>
<work_done>
- one
</work_done>
<checkpoint_title>Fixing the build</checkpoint_title>`;

describe("Copilot's compaction", () => {
  it("becomes a summary with sections and Copilot's title", () => {
    expect(checkpointOf({ success: true, summaryContent: SUMMARY })).toEqual({
      type: 'checkpoint',
      title: 'Fixing the build',
      markdown: '## Overview\n\nWhat it is about: `a < b`, <div>.\n\n## Work done\n\n- one\n',
    });
  });

  it("is named after Copilot's file, or in general words", () => {
    const title = (checkpointPath?: string) =>
      checkpointOf({ success: true, summaryContent: 'Words.', ...(checkpointPath && { checkpointPath }) });
    expect(title('/state/checkpoints/001-talking-about-it.md')).toMatchObject({ title: 'talking about it' });
    expect(title('C:\\state\\checkpoints\\012-x.md')).toMatchObject({ title: 'x' });
    expect(title('nowhere')).toEqual({
      type: 'checkpoint',
      title: 'Summary of the conversation',
      markdown: 'Words.\n',
    });
  });

  it.each([{}, { success: true }, { success: true, summaryContent: ' ' }, { success: false, summaryContent: 'x' }])(
    'makes no summary of %j',
    (data) => {
      expect(checkpointOf(data)).toBeUndefined();
    },
  );

  it('is bounded, whatever the model wrote', () => {
    for (const piece of ['<overview>', '</history>', '<checkpoint_title>', '<', '\n', ' <']) {
      const summaryContent = piece.repeat(2_000_000);
      const checkpoint = checkpointOf({ success: true, summaryContent: `x${summaryContent}` });
      expect(checkpoint?.type === 'checkpoint' && Buffer.byteLength(checkpoint.markdown)).toBeLessThan(1024 * 1024);
    }
  });

  it('reports its outcome in the turn', () => {
    expect(compactionNotice({ success: true, summaryContent: 'x' })).toMatchObject({ severity: 'info' });
    expect(compactionNotice({ success: false, error: 'no model' })).toEqual({
      type: 'notice',
      severity: 'warning',
      text: 'Copilot could not summarize the conversation so far: no model',
    });
  });
});
