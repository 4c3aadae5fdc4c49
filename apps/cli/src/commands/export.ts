import { exportSession } from '@agenthost/client/internal';
import { defineCommand, HOST_OPTIONS } from '../command.js';
import { EXIT } from '../commandError.js';
import { writeOutput } from '../exchange/writeOutput.js';
import { Progress } from '../output/progress.js';
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
      const format = values.format === 'json' ? 'json' : 'md';
      await host.devices.noteExport({ session: session.uri, format });
      const written = exportSession(session, { format, onProgress: (done, total) => progress.update(done, total) });
      try {
        await writeOutput(values.output, written);
      } finally {
        progress.end();
      }
      return EXIT.ok;
    }),
});
