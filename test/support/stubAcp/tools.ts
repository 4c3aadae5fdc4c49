import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, current, permission, text, update } from './conversation.ts';

export async function runTool(command: string, announce: boolean): Promise<void> {
  const call = { toolCallId: randomUUID(), title: command, kind: 'execute', rawInput: { command } };
  if (announce) update('tool_call', { ...call, title: 'Terminal', rawInput: {}, status: 'pending' });
  if (announce) update('tool_call_update', { ...call, status: 'in_progress' });
  const chosen = await permission({ ...call, status: 'pending' });
  if (chosen === 'no' || chosen === 'cancelled') {
    update('tool_call_update', {
      toolCallId: call.toolCallId,
      status: 'failed',
      _meta: { terminal_output: { data: 'no' } },
    });
    text(`Not run (${chosen}).`);
    return;
  }
  const child = spawn('/bin/sh', ['-c', command], { cwd: current.cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  current.cancelled.signal.addEventListener('abort', () => child.kill('SIGKILL'));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (data: string) => {
      update('tool_call_update', { toolCallId: call.toolCallId, _meta: { terminal_output: { data } } });
    });
  }
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  update('tool_call_update', {
    toolCallId: call.toolCallId,
    status: exitCode === 0 ? 'completed' : 'failed',
    _meta: { terminal_exit: { exit_code: exitCode } },
  });
  text(`Done (${chosen}).`);
}

export async function writeTool(path: string): Promise<void> {
  const file = join(current.cwd, path);
  const oldText = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const newText = `${oldText ?? ''}a line\n`;
  const call = {
    toolCallId: randomUUID(),
    title: 'write',
    kind: 'edit',
    locations: [{ path: file }],
    content: [{ type: 'diff', path: file, oldText, newText }],
  };
  update('tool_call', { ...call, status: 'pending' });
  if ((await permission(call)) !== 'yes') {
    text('Not written.');
    return;
  }
  writeFileSync(file, newText);
  const content = [{ type: 'content', content: { type: 'text', text: 'Wrote it.' } }];
  update('tool_call_update', { toolCallId: call.toolCallId, status: 'completed', content });
  text('Written.');
}

export async function hostTerminal(command: string): Promise<void> {
  const { terminalId } = await ask('terminal/create', { command, cwd: current.cwd });
  const toolCallId = randomUUID();
  update('tool_call', {
    toolCallId,
    title: command,
    kind: 'execute',
    status: 'in_progress',
    rawInput: { command },
    content: [{ type: 'terminal', terminalId }],
  });
  const exit = await ask('terminal/wait_for_exit', { terminalId });
  const output = await ask('terminal/output', { terminalId });
  update('tool_call_update', { toolCallId, status: 'completed' });
  await ask('terminal/release', { terminalId });
  text(`It said ${JSON.stringify(output.output)} and ended with ${exit.exitCode}.`);
}
