import * as z from 'zod';
import { MAX_SEVERAL, MAX_TEST_COMMAND, MAX_TEST_OUTPUT } from '../limits.js';
import { author } from './commonSchemas.js';
import { id, label, timestamp, uri } from './primitives.js';

export const severalMember = z.object({
  session: uri,
  model: id.exactOptional().describe('The model that was chosen for it: to create it again.'),
});

export const several = z
  .object({
    title: label.describe('What the sessions were asked, in short.'),
    members: z
      .array(severalMember)
      .min(2)
      .max(MAX_SEVERAL)
      .describe('All of them, this session too, in the same order in each. Some may not exist.'),
  })
  .describe('`metadata.several` of sessions that got the same prompt, to be compared. Since version 2.');

export const pickedSession = z
  .object({ session: uri, by: author.exactOptional(), at: timestamp })
  .describe('Which session of several was picked, to be landed.');

/** One line: it is run by a shell. */
const testCommand = z
  .string()
  .min(1)
  .max(MAX_TEST_COMMAND)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a second line could hide from whoever reads the first
  .regex(/^[^\u0000-\u001f\u007f]*\S[^\u0000-\u001f\u007f]*$/, 'a command is one line');

export const testRun = z
  .object({
    id,
    command: testCommand,
    by: author.exactOptional().describe('Who started it.'),
    status: z
      .enum(['waiting', 'running', 'passed', 'failed', 'stopped', 'timedOut', 'lost'])
      .describe(
        '`waiting`: other runs of the host come first. `failed`: it ended with another code than 0, or could not be started. `lost`: the host has ended meanwhile.',
      ),
    startedAt: timestamp,
    endedAt: timestamp.exactOptional(),
    exitCode: z.int().exactOptional().describe('Absent unless the command has ended by itself.'),
    output: z
      .string()
      .max(MAX_TEST_OUTPUT)
      .exactOptional()
      .describe('The end of what it printed, without escape sequences. Absent until it has ended.'),
    isCut: z.literal(true).exactOptional().describe('It printed more than `output`.'),
  })
  .describe("The last run of the project's tests in the folder of a session.");

export const fetchTestCommandParams = z.object({ session: uri });
export const fetchTestCommandResult = z.object({
  command: testCommand.exactOptional().describe('Absent while nobody has given one for the project.'),
});

export const runTestsParams = z
  .object({
    session: uri,
    command: testCommand
      .exactOptional()
      .describe("Kept for the project of the session's folder. The kept one is run if absent."),
  })
  .describe(
    'Fails with `data.code` `notTrusted`, `noCommand`, `running` or `away`. How it goes on is `tests` of the state.',
  );
export const runTestsResult = z.object({ id: id.describe('`tests.id` of the state.') });

export const stopTestsParams = z.object({ session: uri });
