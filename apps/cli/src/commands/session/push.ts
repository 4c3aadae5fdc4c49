import { defineCommand, HOST_OPTIONS, JSON_OPTION } from '../../command.js';
import { EXIT, usageError } from '../../commandError.js';
import { findSession } from '../../sessionName.js';
import { safeLine } from '../../text/safeText.js';
import { withHost } from '../../withHost.js';

export const command = defineCommand({
  name: 'push',
  summary: 'push the branch of a session, and open a pull request',
  usage: 'SESSION [--remote NAME] [--pr] [flags]',
  options: {
    ...HOST_OPTIONS,
    ...JSON_OPTION,
    remote: { type: 'string', value: 'NAME', help: 'another remote than that of the branch, or origin' },
    pr: { type: 'boolean', help: 'open a pull request with gh or glab, or print where to open one' },
    into: { type: 'string', value: 'BRANCH', help: 'with --pr: another branch than the base of the session' },
    title: { type: 'string', value: 'TEXT', help: 'with --pr: default is the first line of the newest commit' },
    body: { type: 'string', value: 'TEXT', help: 'with --pr' },
  },
  completes: 'session',
  notes: `Only commits are pushed, never by force. The host asks for no password: it needs a credential helper or an SSH key of its own. With
--json it prints one object; that of the pull request is in it as pullRequest.`,
  examples: ['agenthost push last', 'agenthost push last --pr --title "A better parser"', 'agenthost push 3f2a --json'],
  run: (values, [name, stray]) => {
    if (stray !== undefined) throw usageError('That is too much.', 'Name one session.');
    const { remote, pr, into, title, body, json } = values;
    if (!pr && (into !== undefined || title !== undefined || body !== undefined)) {
      throw usageError('--into, --title and --body are for a pull request.', 'Add --pr.');
    }
    const where = remote === undefined ? {} : { remote };
    return withHost(values, async (host) => {
      const session = await findSession(host, name);
      const pushed = await host.work.pushChanges(session, where);
      if (!json) {
        const what = pushed.isUpToDate ? 'is up to date at' : 'pushed to';
        process.stdout.write(`${safeLine(pushed.branch)} ${what} ${safeLine(pushed.remote)}\n`);
      }
      const request = pr
        ? await host.work.pullRequest(session, {
            ...where,
            ...(into !== undefined && { into }),
            ...(title !== undefined && { title }),
            ...(body !== undefined && { body }),
          })
        : undefined;
      if (json)
        process.stdout.write(`${JSON.stringify({ session, ...pushed, ...(request && { pullRequest: request }) })}\n`);
      else if (request) {
        const why = request.reason === undefined ? '' : `${safeLine(request.reason)}\n`;
        process.stdout.write(`${why}${request.isMade ? '' : 'Open a pull request at '}${safeLine(request.url)}\n`);
      }
      return EXIT.ok;
    });
  },
});
