import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Turn } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { readExport } from '../exchange/readExport.js';
import { Progress } from '../output/progress.js';
import { withHost } from '../withHost.js';

export const command = defineCommand({
  name: 'import',
  summary: 'create a session from a JSON export, and print its URI',
  usage: 'FILE [flags]',
  options: {
    ...HOST_OPTIONS,
    ...JSON_OPTION,
    agent: { type: 'string', value: 'AGENT', help: 'which agent continues it (default: the same as before)' },
    cwd: { type: 'string', value: 'FOLDER', help: 'the folder to work in (default: this one)' },
    title: { type: 'string', value: 'TITLE', help: 'its title (default: the exported one)' },
  },
  notes: `A FILE of - reads standard input. The session has its history with images and files, but no authors, and only the beginning
and the end of long output. It runs nothing by itself.`,
  examples: ['agenthost import session.json', 'gunzip < session.json.gz | agenthost import - --agent claude'],
  run: async (values, [file, ...more]) => {
    if (file === undefined || more.length > 0)
      throw usageError('Give one file to import.', 'Or - to read standard input.');
    const { header, turns, content } = await readExport(file);
    const { provider, title, model, resource } = header.session;
    const progress = new Progress('Importing turn');
    const counted = async function* (): AsyncGenerator<Turn> {
      let done = 0;
      for await (const turn of turns) {
        // Further pieces of the same turn begin with later parts.
        if (!turn.earlierParts) done++;
        progress.update(done, done);
        yield turn;
      }
    };
    return withHost(values, async (host) => {
      const agent = values.agent ?? provider;
      const session = await host.importSession({
        provider: agent,
        title: values.title ?? title,
        workingDirectory: pathToFileURL(resolve(values.cwd ?? '.')).href,
        ...(model !== undefined && agent === provider && { model }),
        metadata: { importedFrom: resource },
        turns: counted(),
        content,
      });
      progress.end();
      process.stdout.write(values.json ? `${JSON.stringify(session.confirmed.value.summary)}\n` : `${session.uri}\n`);
      return EXIT.ok;
    });
  },
});
