// The format of a note, and where notes are kept. Each message of a note follows a comment with its time and its id.
import type { Turn } from '@agenthost/protocol';

export interface NoteFile {
  readonly name: string;
  readonly text: string;
  readonly modifiedAt: Date;
}

/** A folder of files. `onChange` is called when another program may have changed something. */
export interface NoteFolder {
  readonly uri: string;
  list(): readonly NoteFile[];
  write(name: string, text: string): NoteFile;
  remove(name: string): void;
  watch(onChange: () => void): { dispose(): void };
}

const MARK = /^<!-- (\d{4}-\S+Z) (\S+) -->\n/m;

/** A file without marks was written by others: the text below its heading is one message. */
export function readNote({ name, text, modifiedAt }: NoteFile): { readonly title: string; readonly turns: Turn[] } {
  const title = /^# (.*)/.exec(text)?.[1] ?? name;
  const [start = '', ...marked] = text.replace(/^# .*\n?/, '').split(MARK);
  const turns: Turn[] = start.trim() === '' ? [] : [turnOf('beginning', modifiedAt, start)];
  for (let at = 0; at + 2 < marked.length; at += 3) {
    turns.push(turnOf(marked[at + 1] ?? '', new Date(marked[at] ?? 0), marked[at + 2] ?? ''));
  }
  return { title, turns };
}

export function appendTurn(note: string, message: string, id: string = crypto.randomUUID()): string {
  return `${note.trimEnd()}\n\n<!-- ${new Date().toISOString()} ${id} -->\n${message}\n`;
}

export function withTitle(note: string, title: string): string {
  return note.replace(/^(?:# .*)?/, `# ${title}`);
}

function turnOf(id: string, at: Date, text: string): Turn {
  const time = at.getTime();
  const userMessage = { text: text.trim() };
  return { id, userMessage, responseParts: [], toolCalls: [], state: 'complete', startedAt: time, endedAt: time };
}
