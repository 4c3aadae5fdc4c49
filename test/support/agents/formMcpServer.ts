// An MCP server over its standard input and output, with one tool that asks the user with a form and returns the answer.
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
  readonly result?: object;
}

const requestedSchema = {
  type: 'object',
  properties: {
    flow: { type: 'string', title: 'Which flow?', enum: ['redirect', 'embedded'], enumNames: ['Redirect', 'Embedded'] },
    retries: { type: 'integer', title: 'Retries', minimum: 0, maximum: 5, default: 2 },
  },
  required: ['flow'],
};
const ELICITATION = 'form-1';
let call: Message['id'];

const say = (message: object) => void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function answer({ method, params }: Message): object | undefined {
  if (method === 'initialize') {
    const protocolVersion = params?.protocolVersion ?? '2025-06-18';
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'forms', version: '1' } };
  }
  if (method === 'tools/list') {
    const inputSchema = { type: 'object', properties: {} };
    return { tools: [{ name: 'deploy', description: 'Deploys it.', inputSchema }] };
  }
  return method === 'ping' ? {} : undefined;
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  if (message.id === undefined) return;
  if (message.method === 'tools/call') {
    call = message.id;
    say({
      id: ELICITATION,
      method: 'elicitation/create',
      params: { message: 'Before it is deployed', requestedSchema },
    });
    return;
  }
  if (message.id === ELICITATION && message.method === undefined) {
    say({ id: call, result: { content: [{ type: 'text', text: `got ${JSON.stringify(message.result)}` }] } });
    return;
  }
  const result = answer(message);
  const reply = result ? { result } : { error: { code: -32601, message: `no method ${message.method}` } };
  say({ id: message.id, ...reply });
});
