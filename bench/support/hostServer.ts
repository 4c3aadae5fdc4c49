// A host with its default settings and the mock agent.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Host, MockAgent } from '@agenthost/host';
import { reportCpu } from './reportCpu.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'agenthost-bench-'));
const host = await Host.start({ stateDir, agents: [new MockAgent()] });
const { url, token } = await host.listen();
reportCpu();
process.on('disconnect', () => {
  rmSync(stateDir, { recursive: true, force: true });
  process.exit();
});
process.send?.({ event: 'listening', task: { kind: 'host', url: `ws://${url.host}/ws`, token } });
