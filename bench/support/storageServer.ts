// A host on the state root that it is given; says when it listens, and when its index has everything.
import { Host, type HostLog, MockAgent, silentLog } from '@agenthost/host';

const [stateDir = '', patience = '0'] = process.argv.slice(2);
const log: HostLog = {
  ...silentLog,
  info: (message) => {
    if (message.includes('session index')) process.send?.({ event: 'filled' });
  },
};
process.on('disconnect', () => process.exit());
const host = await Host.start({ stateDir, agents: [new MockAgent()], log, indexPatienceMs: Number(patience) });
const { url, token } = await host.listen();
process.on('message', () => void host.close().then(() => process.send?.({ event: 'closed' })));
process.send?.({ event: 'listening', url: `ws://${url.host}/ws`, token });
