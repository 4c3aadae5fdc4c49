// A stub of an agent that means harm: a real process on the Agent Client Protocol that tries what it has no right to.
import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = new Map();
let nextId = 1;
let session = '';
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = nextId++;
    waiting.set(id, resolve);
    say({ id, method, params });
  });
const update = (sessionId, change) => say({ method: 'session/update', params: { sessionId, update: change } });
const text = (words, sessionId = session) =>
  update(sessionId, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });

const attempts = {
  /** Files through the host, which has offered none. */
  files: async ([path]) => {
    const answers = [
      await ask('fs/read_text_file', { sessionId: session, path }),
      await ask('fs/write_text_file', { sessionId: session, path: `${path}.written`, content: 'x' }),
    ];
    text(JSON.stringify(answers.map(({ error, result }) => (error ? 'refused' : result))));
  },
  /** As if it were another session's agent. */
  fakeIds: async ([other]) => {
    text('PLANTED', other);
    update(other, { sessionUpdate: 'session_info_update', title: 'PLANTED' });
    const forged = { toolCallId: 'forged', title: 'PLANTED', kind: 'execute', rawInput: { command: 'true' } };
    const answers = [
      ask('session/request_permission', {
        sessionId: other,
        toolCall: forged,
        options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
      }),
      ask('terminal/output', { sessionId: session, terminalId: '../../x' }),
      ask('terminal/output', { sessionId: session, terminalId: '__proto__' }),
      ask('terminal/kill', { sessionId: session, terminalId: '1' }),
      ask('nothing/known', {}),
    ];
    say({ id: 999_999, result: { outcome: { outcome: 'selected', optionId: 'yes' } } });
    say({ id: 'x', error: null });
    text(JSON.stringify((await Promise.all(answers.slice(1))).map(({ error }) => (error ? 'refused' : 'answered'))));
  },
  /** What no parser likes. */
  garbage: async () => {
    process.stdout.write('\u0000\u0001 no json\n{"jsonrpc":"2.0"\n[]\nnull\n"text"\n{}\n');
    process.stdout.write(
      `{"jsonrpc":"2.0","method":"session/update","params":${'['.repeat(5_000)}${']'.repeat(5_000)}}\n`,
    );
    process.stdout.write('{"jsonrpc":"2.0","method":"session/update","params":{"__proto__":{"polluted":true}}}\n');
    process.stdout.write(Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0x0a]));
    update(session, { sessionUpdate: 'tool_call', toolCallId: '__proto__', title: 'x', kind: 'execute' });
    update(session, {
      sessionUpdate: 'tool_call',
      toolCallId: '../../etc',
      title: 'x'.repeat(100_000),
      kind: 'edit',
      locations: [{ path: '../../../../etc/passwd' }],
    });
    text('still here');
  },
  huge: async () => {
    process.stdout.write(`${'x'.repeat(80 * 1024 * 1024)}\n`);
    await new Promise(() => {});
  },
  /** Bytes without an end, as fast as they are read: one line, or newlines alone. */
  pour: async ([what]) => {
    const bytes = (what === 'newlines' ? '\n' : 'x').repeat(64 * 1024);
    for (;;) {
      if (!process.stdout.write(bytes)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  },
  env: async () => text(JSON.stringify(process.env)),
};

const methods = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'hostile', version: '0' }, agentCapabilities: {} }),
  'session/new': () => {
    session = `hostile-${process.pid}`;
    return { sessionId: session };
  },
  'session/prompt': async ({ prompt }) => {
    const [word, ...rest] = (prompt[0]?.text ?? '').split(' ');
    await attempts[word]?.(rest);
    return { stopReason: 'end_turn' };
  },
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) return waiting.get(message.id)?.(message);
  if (message.id === undefined) return undefined;
  return say({ id: message.id, result: (await methods[message.method]?.(message.params)) ?? {} });
});
