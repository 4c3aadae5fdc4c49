import { titleOf } from '@agenthost/client/internal';
import { MAX_LIST_LIMIT } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { sessionTable } from '../output/sessionTable.js';
import { idOf } from '../sessionName.js';
import { safeLine } from '../text/safeText.js';
import { type Style, styleFor } from '../text/style.js';
import { withHost } from '../withHost.js';
import { parseCount } from './ls.js';

const DEFAULT_LIMIT = 20;

export const command = defineCommand({
  name: 'search',
  summary: 'find sessions by their text',
  usage: 'TEXT… [flags]',
  options: {
    ...HOST_OPTIONS,
    ...JSON_OPTION,
    limit: { type: 'string', short: 'n', value: 'COUNT', help: `maximum number of rows (default ${DEFAULT_LIMIT})` },
  },
  notes: `Searches all words in titles, messages, answers and tool output; "words in quotes" must follow each other.
In a pipe it prints one session per line with tabs between id, title and the text around the words. Exits with 1 without
a hit.`,
  examples: ['agenthost search flaky test', `agenthost search '"disk is full"'`],
  run: async (values, positionals) => {
    const text = positionals.join(' ').trim();
    if (text === '') throw usageError('There is nothing to look for.', 'Give one word or more.');
    const limit = Math.min(parseCount(values.limit, DEFAULT_LIMIT), MAX_LIST_LIMIT);
    return withHost(values, async (host) => {
      const { items, total, snippets = {} } = await host.listSessions({ filter: { text }, limit });
      if (values.json) {
        process.stdout.write(`${JSON.stringify({ sessions: items, snippets, total })}\n`);
      } else if (process.stdout.isTTY) {
        const style = styleFor(process.stdout);
        const columns = process.stdout.columns || 80;
        const rows = sessionTable(items, { columns, style, now: Date.now() });
        items.forEach(({ resource }, at) => {
          process.stdout.write(`${rows[at]}\n`);
          if (snippets[resource]) process.stdout.write(`  ${highlighted(safeLine(snippets[resource]), style)}\n`);
        });
        if (total > items.length) process.stderr.write(style.dim(`${items.length} of ${total}; more with --limit.\n`));
      } else {
        for (const item of items) {
          const fields = [idOf(item.resource), titleOf(item), safeLine(snippets[item.resource] ?? '')];
          process.stdout.write(`${fields.join('\t')}\n`);
        }
      }
      if (items.length > 0) return EXIT.ok;
      if (!values.json) process.stderr.write(`No session matches “${safeLine(text)}”.\n`);
      return EXIT.failed;
    });
  },
});

/** Without colours the marks stay. */
function highlighted(snippet: string, style: Style): string {
  return style.colour ? snippet.replace(/⟨(.*?)⟩/g, (_, found: string) => style.bold(found)) : snippet;
}
