import type { HostClient } from '@agenthost/client';
import { allTurns } from '@agenthost/client/internal';
import type { RestoreFilesResult, URI } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../../command.js';
import { CommandError, EXIT, usageError } from '../../commandError.js';
import { findSession } from '../../sessionName.js';
import { safeLine } from '../../text/safeText.js';
import { withHost } from '../../withHost.js';

export const command = defineCommand({
  name: 'restore',
  summary: 'bring files of a session back to how they were before a turn',
  usage: 'SESSION --to TURN [PATH…] [flags]',
  options: {
    ...HOST_OPTIONS,
    ...JSON_OPTION,
    to: { type: 'string', value: 'TURN', help: 'the number of a turn, counted from 1, its id, or last' },
    undo: { type: 'string', value: 'ID', help: 'take back an earlier restoring: its id, or last' },
  },
  completes: 'session',
  notes: `Files and folders are relative to the folder of the session; without any, the whole folder is restored. What was there is kept
first, and --undo brings it back. Files that git ignores, commits and the index stay as they are. It is refused while a turn runs.`,
  examples: [
    'agenthost restore last --to last',
    'agenthost restore 3f2a --to 4 src README.md',
    'agenthost restore 3f2a --undo last',
  ],
  run: (values, [name, ...paths]) => {
    const { to, undo, json } = values;
    if ((to === undefined) === (undo === undefined)) {
      throw usageError('It is not clear what to restore.', 'Give either --to TURN or --undo ID.');
    }
    return withHost(values, async (host) => {
      const session = await findSession(host, name);
      const where = to === undefined ? { undo: undo ?? '' } : { toTurnId: await turnId(host, session, to) };
      const restored = await host.work.restoreFiles(session, { ...where, ...(paths.length > 0 && { paths }) });
      if (json) process.stdout.write(`${JSON.stringify({ session, ...restored })}\n`);
      else process.stdout.write(restoredText(restored));
      return EXIT.ok;
    });
  },
});

/** The id of a turn that is named by its number or as the last. */
async function turnId(host: HostClient, uri: URI, name: string): Promise<string> {
  const session = await host.openSession(uri);
  try {
    if (name === 'last') {
      // A turn in which the host says that files were restored is none to go back to.
      const last = session.confirmed.value.turns.findLast(({ origin }) => origin !== 'agent');
      if (last) return last.id;
    } else if (!/^\d{1,9}$/.test(name)) return name;
    else {
      let number = 0;
      for await (const { id } of allTurns(session)) if (++number === Number(name)) return id;
    }
  } finally {
    session.close();
  }
  throw new CommandError(EXIT.notFound, `There is no turn ${name}.`, 'See the conversation with agenthost log.');
}

function restoredText({ count, paths, undo, skipped }: RestoreFilesResult): string {
  if (count === 0 && !skipped) return 'Nothing differs.\n';
  const list = paths.map((path) => `  ${safeLine(path)}\n`).join('');
  const more = count > paths.length ? `  and ${count - paths.length} more\n` : '';
  const left = skipped ? `Left as they are: ${skipped.paths.map(safeLine).join(', ')}\n` : '';
  const files = count === 1 ? '1 file' : `${count} files`;
  return `Restored ${files}:\n${list}${more}${left}Take it back with --undo ${undo}\n`;
}
