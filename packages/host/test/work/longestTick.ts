/**
 * Measures how long one tick of the event loop computes at most, until the function that it returns is called. It counts the
 * time that this thread ran: on a busy machine a clock also counts the time that other processes had.
 */
export function longestTick(): () => number {
  let longest = 0;
  let before = cpuMs();
  let next = setImmediate(measure);
  function measure(): void {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
    next = setImmediate(measure);
  }
  return () => {
    clearImmediate(next);
    return longest;
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
