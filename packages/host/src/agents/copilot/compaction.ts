import type { AgentEvent } from '../agent.js';
import { oneLine } from '../events/boundedText.js';
import type { SdkEventData } from './sdk.js';

type Compacted = SdkEventData['session.compaction_complete'];

const MAX_TITLE = 80;
/** The maximum length of a summary in code units; the rest is cut. */
const MAX_SUMMARY = 200_000;

/** The summary that Copilot continues with instead of the conversation; `undefined` if it made none. */
export function checkpointOf({ success, summaryContent, checkpointPath }: Compacted): AgentEvent | undefined {
  if (!success || typeof summaryContent !== 'string' || summaryContent.trim() === '') return undefined;
  const summary = summaryContent.slice(0, MAX_SUMMARY);
  const title = oneLine(section(summary, 'checkpoint_title') ?? nameOf(checkpointPath), MAX_TITLE);
  return { type: 'checkpoint', title: title || 'Summary of the conversation', markdown: markdownOf(summary) };
}

/** The notice in the turn. */
export function compactionNotice({ success, summaryContent, error }: Compacted): AgentEvent {
  if (success === false) {
    const why = error ? `: ${error}` : '.';
    return { type: 'notice', severity: 'warning', text: `Copilot could not summarize the conversation so far${why}` };
  }
  const rest = summaryContent?.trim() ? ' The summary is kept as a checkpoint of this session.' : '';
  return {
    type: 'notice',
    severity: 'info',
    text: `Copilot has summarized the conversation so far to make room.${rest}`,
  };
}

/** The sections that Copilot asks its model for, as `<overview>…</overview>` and so on. */
const SECTION = /<(\/?)(overview|history|work_done|technical_details|important_files|next_steps|checkpoint_title)>/g;

/** The sections with headings; any other text, including tags, stays unchanged. */
function markdownOf(summary: string): string {
  const paragraphs: string[] = [];
  let [from, isTitle] = [0, false];
  const add = (to?: number) => paragraphs.push(isTitle ? '' : summary.slice(from, to).trim());
  for (const { 0: tag, 1: slash, 2: name = '', index } of summary.matchAll(SECTION)) {
    add(index);
    from = index + tag.length;
    isTitle = slash === '' && name === 'checkpoint_title';
    if (slash === '' && !isTitle) paragraphs.push(`## ${inWords(name)}`);
  }
  add();
  return `${paragraphs.filter((paragraph) => paragraph !== '').join('\n\n')}\n`;
}

function section(summary: string, name: string): string | undefined {
  const start = summary.indexOf(`<${name}>`);
  const end = summary.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? undefined : summary.slice(start + name.length + 2, end);
}

function inWords(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
}

/** `…/checkpoints/001-short-title.md`, the name of Copilot's own copy. */
function nameOf(path: string | undefined): string {
  return (/(?:^|[\\/])\d+-([^\\/]+)\.md$/.exec(path ?? '')?.[1] ?? '').replaceAll('-', ' ');
}
