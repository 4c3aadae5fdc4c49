import type { HostClient } from '@agenthost/client';
import type { ChangedFile, FetchDiffResult, URI } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../../command.js';
import { CommandError, EXIT, usageError } from '../../commandError.js';
import { findSession } from '../../sessionName.js';
import { safeLine } from '../../text/safeText.js';
import { type Style, styleFor } from '../../text/style.js';
import { withHost } from '../../withHost.js';
import { allChanges, fileLine, parseSince, SINCE_OPTION } from './changes.js';

export const command = defineCommand({
  name: 'diff',
  summary: 'print what a session changed, line by line',
  usage: 'SESSION [PATH] [flags]',
  options: { ...HOST_OPTIONS, ...JSON_OPTION, ...SINCE_OPTION },
  completes: 'session',
  notes: `PATH is a file, relative to the folder of the session; without it, all changed files are printed. Files that are no text are only
named. With --json each line is one page of one file, as the protocol has it.`,
  examples: [
    'agenthost diff last',
    'agenthost diff last src/main.ts --since last-turn',
    'agenthost diff 3f2a --since base',
  ],
  run: (values, [name, path, stray]) => {
    if (stray !== undefined) throw usageError('That is too much.', 'Name one session, and one file if you like.');
    const since = parseSince(values.since);
    return withHost(values, async (host) => {
      const session = await findSession(host, name);
      const { files, from, to } = await allChanges(host, session, since);
      const wanted = path === undefined ? files : files.filter((file) => file.path === path);
      if (path !== undefined && wanted.length === 0) {
        throw new CommandError(
          EXIT.notFound,
          `${JSON.stringify(path)} is not among the changed files.`,
          'List them with agenthost changes.',
        );
      }
      const style = styleFor(process.stdout);
      for (const file of wanted) {
        for await (const page of pages(host, session, file, { from, to })) {
          if (values.json) process.stdout.write(`${JSON.stringify(page)}\n`);
          else process.stdout.write(pageText(page, style));
        }
      }
      return EXIT.ok;
    });
  },
});

async function* pages(
  host: HostClient,
  session: URI,
  { path }: ChangedFile,
  trees: { readonly from: string; readonly to: string },
): AsyncGenerator<FetchDiffResult & { readonly isFirst: boolean }> {
  let cursor: number | undefined = 0;
  while (cursor !== undefined) {
    const page: FetchDiffResult = await host.work.fetchDiff(session, { path, ...trees, cursor });
    yield { ...page, isFirst: cursor === 0 };
    cursor = page.nextCursor;
  }
}

function pageText(
  { file, kind, hunks, isFirst }: FetchDiffResult & { readonly isFirst: boolean },
  style: Style,
): string {
  const head = isFirst ? `${style.bold(fileLine(file, style))}${kind === 'image' ? ' image' : ''}\n` : '';
  const body = hunks.map(({ oldStart, oldLines, newStart, newLines, heading, lines }) => {
    const place = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${heading === undefined ? '' : ` ${heading}`}`;
    return [style.run(safeLine(place)), ...lines.map((line) => coloured(safeLine(line), style)), ''].join('\n');
  });
  return [head, ...body].join('');
}

function coloured(line: string, style: Style): string {
  if (line.startsWith('+')) return style.done(line);
  return line.startsWith('-') ? style.error(line) : line;
}
