import { connect, type HostClient } from '@agenthost/client';
import { type FoundHost, findHost } from '@agenthost/host/discovery';
import { isSameProcess } from '@agenthost/host/maintenance';
import { CommandError } from '../commandError.js';
import { hostAddress } from '../hostAddress.js';
import { commandErrorOf } from '../hostErrors.js';
import { safeLine } from '../text/safeText.js';
import { hostOptions } from '../withHost.js';
import { type Finding, ok } from './finding.js';

export async function findRunning(stateDir: string | undefined): Promise<FoundHost & { readonly isRunning: boolean }> {
  const found = findHost({ env: process.env, ...(stateDir !== undefined && { path: stateDir }) });
  return { ...found, isRunning: found.pid !== undefined && (await isSameProcess(found.pid, undefined)) };
}

/** Checks the host and its agents; without a host there is nothing to ask. */
export async function checkHost(found: FoundHost & { readonly isRunning: boolean }): Promise<Finding[]> {
  const check = 'host';
  if (!found.isRunning) {
    const killed = found.pid !== undefined;
    const what = killed ? `The host (process ${found.pid}) was killed; its sessions are kept.` : 'No host runs here.';
    return [{ ...ok(check, what), fix: 'Start one with agenthost serve.' }];
  }
  let host: HostClient | undefined;
  try {
    const address = hostAddress({ 'state-dir': found.stateDir });
    host = await connect(hostOptions(address)).catch((error: unknown) => {
      throw commandErrorOf(error, address.url);
    });
    const { version } = host.serverInfo ?? {};
    return [ok(check, `The host ${version ?? ''} answers at ${address.url.origin}.`), ...checkAgents(host)];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [{ check, level: 'problem', what: error.message, fix: error.whatToDo }];
  } finally {
    host?.close();
  }
}

function checkAgents(host: HostClient): Finding[] {
  return host.root.state.value.agents.map(({ provider, displayName, availability }) => {
    const check = 'agents';
    const name = `${safeLine(displayName)} (${provider})`;
    if (availability.state === 'available') return ok(check, `${name} ${availability.version ?? 'is available'}.`);
    if (availability.state === 'installing') return ok(check, `${name} is being installed.`);
    const { reason, howToFix } = availability;
    return { check, level: 'warning', what: `${name}: ${safeLine(reason)}`, fix: safeLine(howToFix) };
  });
}
