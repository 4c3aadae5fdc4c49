import type { Turn } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS } from '../command.js';
import { EXIT } from '../commandError.js';
import { jsonExport, type ReadContent } from '../exchange/exportFile.js';
import { markdownExport } from '../exchange/markdownExport.js';
import { writeOutput } from '../exchange/writeOutput.js';
import { Progress } from '../output/progress.js';
import { allTurns, turnCount } from '../output/turnPages.js';
import { findSession } from '../sessionName.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'export',
  summary: 'write a session to a file, as markdown to read or JSON to keep',
  usage: 'SESSION [flags]',
  options: {
    ...HOST_OPTIONS,
    format: { type: 'string', value: 'FORMAT', help: 'default md', choices: ['md', 'json'] },
    output: { type: 'string', short: 'o', value: 'FILE', help: 'where to write it (default: standard output)' },
  },
  completes: 'session',
  notes: `Exports every ended turn, with the beginning and the end of long tool output; agenthost log --full shows all of it.
The JSON is one document with one line per turn, or several for a turn with very many steps, and the images and files that they
refer to; agenthost import creates a session from it.`,
  examples: ['agenthost export last -o session.md', 'agenthost export 3f2a --format json | gzip > session.json.gz'],
  run: (values, [name]) =>
    withHost(values, async (host) => {
      const session = await host.openSession(await findSession(host, name));
      const progress = new Progress('Exporting turn');
      const total = turnCount(session);
      const counted = async function* (): AsyncGenerator<Turn> {
        let done = 0;
        for await (const turn of allTurns(session)) {
          progress.update(++done, total);
          // A turn with very many steps is several lines of the file, so that neither side has to hold all of it.
          yield* session.turnPieces(turn);
        }
      };
      const { summary } = session.confirmed.value;
      const readContent: ReadContent = async ({ uri }) => (await host.fetchContent(uri).catch(() => undefined))?.bytes;
      const written =
        values.format === 'json' ? jsonExport(summary, counted(), readContent) : markdownExport(summary, counted());
      try {
        await writeOutput(values.output, written);
      } finally {
        progress.end();
      }
      return EXIT.ok;
    }),
});
