import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../../command.js';
import { EXIT, usageError } from '../../commandError.js';
import { findSession } from '../../sessionName.js';
import { safeLine } from '../../text/safeText.js';
import { withHost } from '../../withHost.js';

export const command = defineCommand({
  name: 'commit',
  summary: 'commit what a session changed',
  usage: 'SESSION --message TEXT [PATH…] [flags]',
  options: {
    ...HOST_OPTIONS,
    ...JSON_OPTION,
    message: { type: 'string', short: 'm', value: 'TEXT', help: 'the message of the commit' },
    'run-hooks': { type: 'boolean', help: "run the repository's own hooks" },
  },
  completes: 'session',
  notes: `Files and folders are relative to the folder of the session; without any, all that changed in it is committed, also new files. The
author is who git is configured for on the host. Without --run-hooks no program of the repository runs. It is refused while a turn runs.`,
  examples: [
    'agenthost commit last -m "Fix the parser"',
    'agenthost commit 3f2a -m "Only the docs" docs README.md',
    'agenthost commit last -m "Checked" --run-hooks',
  ],
  run: (values, [name, ...paths]) => {
    const { message, json } = values;
    if (message === undefined || message.trim() === '') {
      throw usageError('The message is missing.', 'Give it with --message TEXT.');
    }
    return withHost(values, async (host) => {
      const session = await findSession(host, name);
      const made = await host.work.commitChanges(session, {
        message,
        ...(paths.length > 0 && { paths }),
        ...(values['run-hooks'] && { runHooks: true as const }),
      });
      if (json) process.stdout.write(`${JSON.stringify({ session, ...made })}\n`);
      else {
        const list = made.paths.map((path) => `  ${safeLine(path)}\n`).join('');
        const more = made.count > made.paths.length ? `  and ${made.count - made.paths.length} more\n` : '';
        const files = made.count === 1 ? '1 file' : `${made.count} files`;
        const where = `${made.commit.slice(0, 7)} on ${safeLine(made.branch)}`;
        process.stdout.write(`Committed ${files} as ${where}:\n${list}${more}`);
      }
      return EXIT.ok;
    });
  },
});
