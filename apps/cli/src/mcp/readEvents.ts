import type { Readable } from 'node:stream';

/** The data of server-sent events. Throws when one of them is longer than `maxLength`. */
export async function* readEvents(stream: Readable, maxLength: number): AsyncGenerator<string> {
  let rest = '';
  let data: string[] = [];
  let length = 0;
  for await (const piece of stream.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    length += piece.length;
    if (length > maxLength) throw new Error('the answer is too long');
    for (const line of lines) {
      const text = line.endsWith('\r') ? line.slice(0, -1) : line;
      if (text.startsWith('data:')) data.push(text.slice(5).trimStart());
      if (text !== '') continue;
      length = rest.length;
      if (data.length === 0) continue;
      yield data.join('\n');
      data = [];
    }
  }
}
