import { contentLine, resultContents } from '@agenthost/client/internal';
import type { ActiveTurn, ToolCallState, Turn } from '@agenthost/protocol';
import { CallTree } from '@agenthost/protocol/internal';
import { SafeTextStream, safeLine, safeText } from '../text/safeText.js';
import { GLYPH, styleFor } from '../text/style.js';
import { fit } from '../text/width.js';
import { toolLine } from './toolLine.js';
import { type TurnEvent, TurnReader } from './turnReader.js';

export interface TurnPrinterOptions {
  /** For tool calls: one line each, also their output, or nothing. */
  readonly tools: 'line' | 'output' | 'none';
  readonly reasoning: boolean;
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
}

/** Prints the answer to standard output while it streams, and everything else to standard error. */
export class TurnPrinter {
  readonly #options: TurnPrinterOptions;
  readonly #reader = new TurnReader();
  readonly #streams = new Map<string, SafeTextStream>();
  readonly #tree = new CallTree();
  readonly #style;
  #source: string | undefined;
  #isLineOpen = false;
  #status: string | undefined;

  constructor(options: TurnPrinterOptions) {
    this.#options = options;
    this.#style = styleFor(options.err);
  }

  update(turn: ActiveTurn | Turn): void {
    for (const event of this.#reader.read(turn)) this.#print(event);
  }

  /** A line that is not part of the answer. */
  note(line: string): void {
    this.#clearStatus();
    this.#endLine();
    this.#options.err.write(`${line}\n`);
  }

  /** The current activity, in a line that the next output replaces; only on terminals. */
  status(text: string | undefined): void {
    const { err } = this.#options;
    if (!err.isTTY || this.#status === text) return;
    this.#clearStatus();
    if (text === undefined || this.#isLineOpen) return;
    this.#status = text;
    err.write(fit(text, (err.columns || 80) - 1));
  }

  end(): void {
    this.#clearStatus();
    const rest = [...this.#streams.values()].map((stream) => stream.end()).join('');
    if (rest) this.#options.out.write(rest);
    this.#endLine();
  }

  #print(event: TurnEvent): void {
    const { tools, reasoning } = this.#options;
    const { dim, needs } = this.#style;
    switch (event.type) {
      case 'text':
        this.#write('text', event.text);
        break;
      case 'reasoning':
        if (reasoning) this.note(dim(safeText(event.text).trimEnd()));
        break;
      case 'toolStarted':
        if (tools !== 'none') this.status(this.#indent(event.call) + toolLine(event.call, this.#style));
        break;
      case 'toolOutput':
        if (tools === 'output') this.#write(`tool:${event.call.toolCallId}`, event.text);
        break;
      case 'toolOutputOmitted':
        if (tools === 'output')
          this.note(dim(`… ${event.characters} characters left out; agenthost log --full shows them`));
        break;
      case 'toolWaits':
        break;
      case 'toolEnded':
        if (tools === 'none') break;
        this.note(this.#indent(event.call) + toolLine(event.call, this.#style));
        for (const ref of resultContents(event.call))
          this.note(dim(`${this.#indent(event.call)}  ${contentLine(ref)}`));
        break;
      case 'notice':
        this.note(`${event.notice.severity === 'info' ? '·' : needs('!')} ${safeLine(event.notice.text)}`);
        break;
      case 'steering':
        this.note(`› ${safeLine(event.steering.userMessage.text)}`);
        break;
      case 'stepsOmitted':
        if (tools !== 'none') this.note(dim(`… ${event.steps} earlier steps left out; agenthost log shows them`));
        break;
      case 'content':
        this.note(dim(`· ${contentLine(event.ref)}`));
        break;
    }
  }

  /** Calls of a sub-agent are indented under the call that started it. */
  #indent(call: ToolCallState): string {
    return '  '.repeat(this.#tree.place(call).depth);
  }

  #write(source: string, text: string): void {
    this.#clearStatus();
    if (this.#source !== source) this.#endLine();
    this.#source = source;
    const { out } = this.#options;
    const stream = this.#streams.get(source) ?? new SafeTextStream({ colour: styleFor(out).colour });
    this.#streams.set(source, stream);
    const safe = stream.push(text);
    if (safe === '') return;
    out.write(safe);
    this.#isLineOpen = !safe.endsWith('\n');
  }

  /** Colours that the text left on end with it. */
  #endLine(): void {
    if (!this.#isLineOpen) return;
    const { out } = this.#options;
    out.write(styleFor(out).colour ? '\u001b[0m\n' : '\n');
    this.#isLineOpen = false;
  }

  #clearStatus(): void {
    if (this.#status === undefined) return;
    this.#status = undefined;
    this.#options.err.write('\r\u001b[2K');
  }
}

export function outcomeLine({ state, error }: Turn, style: ReturnType<typeof styleFor>): string | undefined {
  if (state === 'complete') return undefined;
  if (state === 'cancelled') return `${style.dim('–')} Stopped.`;
  return `${style.error(GLYPH.error)} ${safeLine(error?.message ?? 'The turn failed.')}`;
}
