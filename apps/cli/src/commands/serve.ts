import { type CommandModule, flagsIn } from '../command.js';
import { serve } from '../serve/serve.js';
import { SERVE_HELP } from '../serve/serveOptions.js';

export const command: CommandModule = { help: SERVE_HELP, flags: flagsIn(SERVE_HELP), run: serve };
