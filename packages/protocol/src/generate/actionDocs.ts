import * as z from 'zod';
import { CHANGES_ACTIONS, CLIENT_ACTIONS, HOST_ACTIONS, ROOT_ACTIONS } from '../schemas/actionSchemas.js';
import { ACTION_INTRODUCED_IN, isClientDispatchable } from '../tables/tableRules.js';

/** What every session action has; docs/protocol.md says so once. */
const STAMPED = ['type', 'session', 'at', 'by'];

/** The table of actions in docs/protocol.md, in the order of the action table. */
export function actionDocs(): string {
  const schemas = [...CLIENT_ACTIONS, ...HOST_ACTIONS, ...ROOT_ACTIONS, ...CHANGES_ACTIONS];
  const rows = Object.keys(ACTION_INTRODUCED_IN).map((type) => {
    const schema = schemas.find(({ shape }) => shape.type.value === type);
    const payload = Object.entries(schema?.shape ?? {})
      .filter(([name]) => !STAMPED.includes(name))
      .map(([name, field]) => (field instanceof z.ZodExactOptional ? `${name}?` : name));
    return `| ${[`\`${type}\``, payload.join(', '), isClientDispatchable(type) ? 'yes' : '', schema?.description].join(' | ')} |`;
  });
  return ['| action | payload | client | effect |', '|---|---|---|---|', ...rows]
    .join('\n')
    .replaceAll('|  |', '| |')
    .replaceAll('|  |', '| |');
}
