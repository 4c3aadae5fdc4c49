import { ACP_CASES, type AcpCase } from './support/acpCases.js';
import { acpSuite } from './support/acpSuite.js';

acpSuite(ACP_CASES.find(({ provider }) => provider === 'copilot-acp') as AcpCase);
