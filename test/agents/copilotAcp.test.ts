import { acpSuite } from './support/acpSuite.js';

acpSuite('copilot-acp');
