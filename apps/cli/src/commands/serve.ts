import { type CommandModule, flagsIn } from '../command.js';
import { serve } from '../serve.js';
import { SERVE_HELP } from '../serveOptions.js';

export const command: CommandModule = { help: SERVE_HELP, flags: flagsIn(SERVE_HELP), run: serve };
