/** Answers how much CPU time this process has used: wall time says little on a shared machine. */
export function reportCpu(): void {
  process.on('message', (message) => {
    if (message !== 'cpu') return;
    const { user, system } = process.cpuUsage();
    process.send?.({ event: 'cpu', microseconds: user + system });
  });
}
