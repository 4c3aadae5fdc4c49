import { acpSuite } from './support/acpSuite.js';

acpSuite('opencode');
