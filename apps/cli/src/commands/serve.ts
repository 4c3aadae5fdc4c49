import { defineCommand } from '../command.js';
import { usageError } from '../commandError.js';
import { serve } from '../serve/serve.js';
import { SERVE_OPTIONS, serveOptions } from '../serve/serveOptions.js';

export const command = defineCommand({
  name: 'serve',
  summary: 'start a host on this machine and print its link',
  usage: '[flags]',
  options: SERVE_OPTIONS,
  notes: `
Environment: AGENTHOST_TOKEN sets the token (default: one is made and kept in the state folder), AGENTHOST_HOME the state folder;
AGENTHOST_DATABASE the database; its password is best in PGPASSWORD, .pgpass or a service file, not in an argument.
AGENTHOST_KEEP_TEMP_FILES=true keeps temporary files for debugging.`,
  examples: [
    'agenthost serve',
    'agenthost serve --port 0 --json',
    'agenthost serve --lan',
    'agenthost serve --ahp',
    'agenthost serve --database postgres://agenthost@db.example.org/agenthost',
    'agenthost serve --host 0.0.0.0 --tls-cert cert.pem --tls-key key.pem',
  ],
  run: async (values, [stray]) => {
    if (stray === undefined) {
      if (values.database !== undefined) {
        // Loaded only where it is asked for.
        const { warnOfPassword } = await import('../database/databaseAddress.js');
        warnOfPassword('--database', values.database);
      }
      return serve(serveOptions(values));
    }
    throw usageError(`Unexpected argument '${stray}'.`, 'See agenthost serve --help for what it takes.');
  },
});
