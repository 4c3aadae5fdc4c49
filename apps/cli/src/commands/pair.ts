import { ROLES } from '@agenthost/protocol';
import { defineCommand, HOST_OPTIONS } from '../command.js';
import { EXIT, usageError } from '../commandError.js';
import { pairDevice } from '../pairDevice.js';

export const command = defineCommand({
  name: 'pair',
  summary: 'let a phone or another device in, with a code that works once',
  usage: '[flags]',
  options: {
    ...HOST_OPTIONS,
    role: { type: 'string', value: 'ROLE', help: 'what it may do (default approver)', choices: ROLES },
    qr: { type: 'boolean', help: 'draw the link as a QR code also where the output is no terminal' },
    json: { type: 'boolean', help: 'print JSON instead of text' },
  },
  notes: `It prints a link, and on a terminal its QR code, that lets one device in, once, within 10 minutes, and waits until the device is
connected. Ctrl+C ends the code. agenthost token --help says what the roles may do, agenthost token ls lists the devices.`,
  examples: ['agenthost pair', 'agenthost pair --role driver'],
  run: async (values, [stray]) => {
    if (stray !== undefined) throw usageError(`Unexpected argument '${stray}'.`, 'See agenthost pair --help.');
    const qr = values.qr ?? (process.stdout.isTTY && !values.json);
    await pairDevice({ ...values, qr }, (value, text) => {
      process.stdout.write(values.json ? `${JSON.stringify(value)}\n` : `${text}\n`);
    });
    return EXIT.ok;
  },
});
