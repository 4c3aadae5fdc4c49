import { createHash } from 'node:crypto';
import type { AgentCustomization } from '../agentCustomization.js';
import { callClientTool, listClientTools, serveClientTools } from './mockClientTools.js';
import {
  callsThenQuestion,
  confirmLong,
  manyCalls,
  manyNotices,
  openCalls,
  openQuestions,
  outerCall,
} from './mockFloods.js';
import { askForm } from './mockForms.js';
import { playAudio, showImage } from './mockMedia.js';
import { bigOutput, confirmRead, confirmTool, useTool, writeFile } from './mockTools.js';
import type { MockTurn } from './mockTurn.js';

/** What the agent does with a prompt; `argument` is the text after the first word. The turn ends when it returns. */
type Behaviour = (turn: MockTurn, argument: string) => void | Promise<void>;

const STREAM_BURST = 64;
const MAX_COUNT = 100_000_000;

const behaviours: Readonly<Record<string, Behaviour>> = {
  hello: async (turn) => {
    for (const chunk of ['Hel', 'lo, ', 'wor', 'ld!']) {
      turn.text(chunk);
      await turn.pause();
    }
  },

  reasoning: async (turn) => {
    for (const text of ['Let me think', ' about it.']) {
      turn.emit({ type: 'reasoning', text });
      await turn.pause();
    }
    turn.text('The answer is 42.');
  },

  'use-tool': useTool,
  'confirm-tool': confirmTool,
  'confirm-read': confirmRead,
  'client-tool': callClientTool,
  'client-tools?': listClientTools,
  'mcp-server': serveClientTools,
  'big-output': (turn, argument) => bigOutput(turn, count(argument, 65_536)),
  'write-file': writeFile,
  'many-calls': manyCalls,
  'many-notices': manyNotices,
  'open-calls': openCalls,
  'open-questions': openQuestions,
  'outer-call': outerCall,
  'calls-then-question': callsThenQuestion,
  'confirm-long': confirmLong,
  image: showImage,
  audio: playAudio,

  permission: async (turn) => {
    const requestId = crypto.randomUUID();
    const answered = turn.answer(requestId);
    turn.emit({
      type: 'permissionRequest',
      request: {
        requestId,
        kind: 'permission',
        title: 'Read outside of the folder?',
        message: 'The mock agent wants to read `/etc/hosts`.',
        options: [
          { id: 'allow', label: 'Allow', kind: 'approve' },
          { id: 'deny', label: 'Deny', kind: 'deny' },
        ],
      },
    });
    const { approved, optionId } = await answered;
    turn.text(`Permission ${approved ? 'granted' : 'denied'}${optionId === undefined ? '' : ` (${optionId})`}.`);
  },

  question: async (turn) => {
    const requestId = crypto.randomUUID();
    const answered = turn.answer(requestId);
    turn.emit({
      type: 'permissionRequest',
      request: {
        requestId,
        kind: 'question',
        title: 'Which colour?',
        message: 'The mock agent needs a colour.',
        options: [
          { id: 'red', label: 'Red' },
          { id: 'blue', label: 'Blue', description: 'Like the sky.' },
        ],
        allowText: true,
      },
    });
    const { approved, optionId, text } = await answered;
    turn.text(approved ? `You answered: ${text ?? optionId ?? 'nothing'}` : 'You did not answer.');
  },

  /** `form` asks two questions at once; `form all` has a field of each kind, `form long` many choices. */
  form: askForm,

  error: (turn) => {
    turn.text('This goes wrong.');
    const error = new Error('The mock agent was told to fail.');
    error.name = 'MockError';
    throw error;
  },

  crash: (turn) => {
    turn.text('This is the');
    const error = new Error('The mock agent died (exit code 139). Send the message again to restart it.');
    error.name = 'AgentDied';
    throw error;
  },

  slow: async (turn) => {
    for (let n = 1; ; n++) {
      turn.text(`${n} `);
      await turn.pause(50);
    }
  },

  stream: async (turn, argument) => {
    const total = count(argument, 1_000);
    for (let n = 0; n < total; n++) {
      turn.text(twentyBytes(n));
      if (n % STREAM_BURST === STREAM_BURST - 1) await turn.pause();
    }
  },

  /** Like `stream`, but without pauses: nothing else runs until all is sent, and it can't be aborted. */
  flood: (turn, argument) => {
    const total = count(argument, 1_000);
    for (let n = 0; n < total; n++) turn.text(twentyBytes(n));
  },

  /** Announces these slash commands; `commands none` removes them. */
  commands: (turn, argument) => {
    const commands = [
      { name: 'review', description: 'Looks over the changes.', inputHint: 'a branch' },
      { name: 'reset', description: 'Forgets what was said.' },
      { name: 'plan', description: 'Makes a plan first.' },
    ];
    turn.emit({ type: 'commands', commands: argument === 'none' ? [] : commands });
    turn.text('Said.');
  },

  title: (turn, argument) => {
    turn.emit({ type: 'title', title: argument });
    turn.text(`The title is now: ${argument}`);
  },

  /** `mode ID NAME` sets the mode; `mode none` removes it. */
  mode: (turn, argument) => {
    const [id = '', ...name] = argument.split(' ');
    const mode = { id, ...(name.length > 0 && { name: name.join(' ') }) };
    turn.emit({ type: 'mode', ...(argument !== 'none' && { mode }) });
    turn.text(`The mode is now: ${argument}`);
  },

  /** `settings` offers a mode and an effort; `settings none` removes them; `settings?` says their values. */
  settings: (turn, argument) => {
    turn.emit({ type: 'settings', settings: turn.settings.offer(argument) });
    turn.text('Offered.');
  },
  'settings?': (turn) => turn.text(turn.settings.described),

  steer: async (turn) => {
    const steering = turn.steering();
    turn.text('Waiting to be steered. ');
    const { text } = await steering;
    turn.text(`Steered: ${text}`);
  },

  usage: (turn) => {
    turn.text('Counted.');
    const usage = { inputTokens: 1_200, outputTokens: 34, cacheReadTokens: 1_000, model: turn.model, cost: 0.0125 };
    turn.emit({ type: 'usage', usage });
  },

  /** `plan TEXT` sets the plan, or a default one without a text; `no-plan` removes it. */
  plan: (turn, argument) => {
    turn.emit({ type: 'plan', markdown: argument || '# Plan\n\n1. [ ] Look\n2. [ ] Leap\n' });
    turn.text('That is the plan.');
  },

  'no-plan': (turn) => {
    turn.emit({ type: 'plan', markdown: '' });
    turn.text('There is no plan.');
  },

  /** `checkpoint TITLE` */
  checkpoint: (turn, argument) => {
    turn.emit({ type: 'checkpoint', title: argument, markdown: `All about ${argument}.\n` });
    turn.text('That is behind us.');
  },

  /** `artifact NAME` and `research NAME` store a small file under that name. */
  artifact: (turn, argument) => keep(turn, 'file', argument),
  research: (turn, argument) => keep(turn, 'research', argument),

  activity: async (turn) => {
    turn.emit({ type: 'activity', activity: 'Looking busy' });
    await turn.pause();
    turn.emit({ type: 'activity' });
    turn.emit({ type: 'notice', text: 'Nothing was done.', severity: 'info' });
  },

  /** The attachments as they arrived. */
  attachments: (turn) => {
    const { attachments = [] } = turn.message;
    for (const { label, data, ref } of attachments) {
      const hash = data === undefined ? 'none' : createHash('sha256').update(data).digest('hex');
      turn.text(`${label}: ${data?.length ?? 0} ${hash}${ref ? ' (not resolved)' : ''}\n`);
    }
  },

  'temp-file': async (turn, argument) => {
    const path = await turn.tempFiles?.create(argument, 'txt');
    turn.text(path ?? 'There are no temporary files.');
  },

  model: (turn) => turn.text(`The model is ${turn.model}.`),
  'resumed?': (turn) => turn.text(turn.resumed === undefined ? 'No, this is new.' : `Yes, from ${turn.resumed}.`),
  /** What it was given, one per line. */
  customizations: (turn) => turn.text(turn.customizations.map(described).join('\n') || 'None.'),
  hang: (turn) => turn.hang(),
};

/** Unknown prompts are echoed. */
export function behaviourOf(prompt: string): (turn: MockTurn) => void | Promise<void> {
  const [, word = '', argument = ''] = /^(\S*)\s*(.*)$/s.exec(prompt.trim()) ?? [];
  const behaviour = Object.hasOwn(behaviours, word) ? behaviours[word] : undefined;
  return behaviour ? (turn) => behaviour(turn, argument) : (turn) => turn.text(`You said: ${prompt}`);
}

function keep(turn: MockTurn, kind: 'file' | 'research', name: string): void {
  turn.emit({ type: 'artifact', kind, name, content: `The content of ${name}.\n` });
  turn.text('Made it.');
}

function described({ kind, name, content, mcpServer }: AgentCustomization): string {
  const server = mcpServer?.type === 'stdio' ? [mcpServer.command, ...mcpServer.args].join(' ') : mcpServer?.url;
  return [kind, name, content ?? server].filter((word) => word !== undefined).join(' ');
}

function count(argument: string, otherwise: number): number {
  return /^\d{1,9}$/.test(argument) ? Math.min(Number(argument), MAX_COUNT) : otherwise;
}

function twentyBytes(n: number): string {
  return `delta ${String(n).padStart(13, '0')}\n`;
}
