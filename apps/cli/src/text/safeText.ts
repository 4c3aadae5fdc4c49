export { SafeTextStream, safeCommand, safeLine, safeText } from '@agenthost/client/internal';
