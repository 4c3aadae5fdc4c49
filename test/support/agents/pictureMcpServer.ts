// An MCP server over its standard input and output, with one tool that returns a picture: PICTURE is its base64, SOUND that of a sound.
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly protocolVersion?: string };
}

const { PICTURE = '', SOUND = '' } = process.env;
const content = [
  { type: 'text', text: 'Here it is.' },
  { type: 'image', data: PICTURE, mimeType: 'image/png' },
  ...(SOUND ? [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] : []),
];

function answer({ method, params }: Message): object | undefined {
  switch (method) {
    case 'initialize': {
      const protocolVersion = params?.protocolVersion ?? '2025-06-18';
      return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'pictures', version: '1' } };
    }
    case 'tools/list':
      return {
        tools: [{ name: 'take', description: 'Takes a picture.', inputSchema: { type: 'object', properties: {} } }],
      };
    case 'tools/call':
      return { content };
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line) as Message;
  if (message.id === undefined) return;
  const result = answer(message);
  const reply = result ? { result } : { error: { code: -32601, message: `no method ${message.method}` } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...reply })}\n`);
});
