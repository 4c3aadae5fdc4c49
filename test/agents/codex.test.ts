import { acpSuite } from './support/acpSuite.js';

acpSuite('codex');
